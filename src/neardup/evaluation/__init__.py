"""Methods measured against judged pairs: a corpus and a truth in, precision, recall, F1 and costs out.

corpus.py     what is evaluated on: documents by place, and a digest of them
truth.py      which pairs are copies, which are not, and which count at all
methods.py    every method by name: the baselines of the papers and neardup itself
product.py    neardup's own engine as a method; tuning.py: the settings that it is measured with
measure.py    one method over one corpus: its decisions and what they cost
here.py       the same by the method's name
worker.py     the same in a process of its own, which process.py starts
memory.py     what a process holds; units.py: figures as people read them
results.py    a result as plain values; those of earlier runs, kept in files
run.py        all methods one after another: `evaluate`
report.py     what came out as JSON, Markdown and a page (report.html) with charts.py's curves
"""
