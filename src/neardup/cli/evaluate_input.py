"""The corpus of `neardup evaluate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.cli.streams import log_line
from neardup.cli.tables import counted

if TYPE_CHECKING:
    from neardup.cli.sinks import Rejects
    from neardup.evaluation.corpus import Corpus
    from neardup.sources.reader import Reader


def corpus_of(reader: Reader, rejects: Rejects, max_length: int) -> Corpus:
    """The documents of `reader`; reports how many came again."""
    from neardup.evaluation.corpus import read_corpus

    same: list[str] = []
    corpus = read_corpus(
        reader, rejects.add, max_length=max_length, located=reader.located, on_same=same.append
    )
    if same:
        again = f"{counted(len(same), 'document')} came again with the same id and text (first: {same[0]})"
        log_line(f"{again}: only the first of each counts")
    return corpus
