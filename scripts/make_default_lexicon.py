"""Makes src/neardup/data/default.lexicon from texts in many languages.

    python scripts/make_default_lexicon.py books-en.jsonl.gz manpages-multi.jsonl.gz

Each file is gzip'd JSON Lines with a "text" in each line: English prose of the public domain (Standard
Ebooks) and Debian's manual pages in 13 languages. Only every second text is used: with all of them, one slot in
seven would be known, and as many q-grams of random strings would seem more frequent than they are. The lexicon contains
only frequency classes of hash slots, nothing of the texts. The same files in the same order give the same lexicon, to
the bit.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import xxhash

# The only place to substitute a faster computation of the keys of a text; the lexicon's id proves that it gives the
# same keys.
from neardup.oracle.definitions import key, normal_form, qgrams, words
from neardup.tables.lexicon import Lexicon, LexiconBuilder

TARGET = Path(__file__).resolve().parents[1] / "src" / "neardup" / "data" / "default.lexicon"
Q = 4
EVERY = 2

cached_key = functools.cache(key)


def main() -> None:
    """Read the files named on the command line and write the lexicon."""
    parser = argparse.ArgumentParser(description="Makes the default lexicon.")
    parser.add_argument("files", nargs="+", type=Path, help="gzip'd JSON Lines with a text in each line")
    parser.add_argument("--output", type=Path, default=TARGET)
    arguments = parser.parse_args()
    all_texts = (text for file in arguments.files for text in texts(file))
    lexicon = lexicon_of(itertools.islice(all_texts, 0, None, EVERY))
    lexicon.save(arguments.output)
    size = arguments.output.stat().st_size
    print(f"{arguments.output.name}: id {lexicon.id}, {lexicon.documents} documents, {size} bytes")


def texts(file: Path) -> Iterator[str]:
    """The text of every line."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


def lexicon_of(documents: Iterator[str]) -> Lexicon:
    """The lexicon named "default" of these texts."""
    builder = LexiconBuilder(q=Q, fold_case=False, name="default")
    for text in documents:
        keys = [cached_key(gram) for gram in qgrams(normal_form(text), Q)]
        hashes = [xxhash.xxh64_intdigest(word.encode("utf-8"), seed=0) for word in set(words(text))]
        builder.add(np.array(keys, np.uint64), np.array(hashes, np.uint64))
    return builder.build()


if __name__ == "__main__":
    main()
