"""The papers' methods as comparable baselines: one paper a file, all under the contract of `base.py`.

base.py          Method, Index: the contract, and the index of methods that have no better one
registry.py      every method by its name
set_classes.py   the classes of the methods that compare sets; word_classes.py: those that compare words
words.py         words, sentences, word frequencies and random lexicons
tokens.py        normal form, q-grams, shingles, sentences as 64-bit features; sets and bags of them
collection.py    document frequencies of features
sets.py          methods that compare sets by their overlap: doc_q, clipping, shingling, COPS
vectors.py       methods that compare weighted bags: SCAM, cosine
"""
