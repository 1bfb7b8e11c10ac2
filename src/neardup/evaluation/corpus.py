"""The documents to evaluate on: numbered from 0, read once, with a digest that identifies them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from neardup.errors import DocumentError
from neardup.evaluation.errors import EvaluationError
from neardup.model.document import Document, Reject, prepare
from neardup.model.settings import DEFAULT_MAX_LENGTH
from neardup.model.shown_fields import utf8_text
from neardup.model.source import source_of

if TYPE_CHECKING:
    from neardup.model.document import Flush


@dataclass(frozen=True)
class Corpus:
    """Documents in the order in which they were read, numbered from 0; a pair is two numbers, the smaller first.

    sources   the source of each document (`source_of`), for a table of boilerplate; () if none is known
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    sources: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def docs(self) -> dict[str, int]:
        """The number of every document by its id."""
        return {id: doc for doc, id in enumerate(self.ids)}

    @cached_property
    def digest(self) -> str:
        """16 hex digits that change with any id, text, or their order."""
        digest = hashlib.sha256()
        for id, text in zip(self.ids, self.texts, strict=True):
            for part in (id.encode(), text.encode()):
                digest.update(len(part).to_bytes(8, "big") + part)
        return digest.hexdigest()[:16]

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Id, text and source ("": not known) of each document."""
        yield from zip(self.ids, self.texts, self.sources or ("",) * len(self), strict=True)

    def facts(self) -> dict[str, Any]:
        """The size and digest of the corpus, for a report."""
        return {
            "documents": len(self),
            "characters": sum(map(len, self.texts)),
            "digest": self.digest,
        }


def read_corpus(
    items: Iterable[Document | Reject | Flush],
    on_reject: Callable[[Reject], None],
    *,
    max_length: int = DEFAULT_MAX_LENGTH,
    located: Callable[[Reject], Reject] = lambda reject: reject,
    on_same: Callable[[str], object] = lambda _: None,
) -> Corpus:
    """The documents of a reader, checked as `ingest` checks them; unusable ones are passed to `on_reject`. Of documents
    with the same id and text only the first counts; for each of the others, `on_same` is called with where it is.

    `located` adds where the document is that was read last. Raises `EvaluationError` if no document is left, or if two
    have the same id but other texts: a truth that names it would be ambiguous.
    """
    texts: dict[str, str] = {}
    read_from: dict[str, str] = {}
    sources: list[str] = []
    rejected = 0
    for item in items:
        if isinstance(item, Document):
            try:
                id = prepare(item._replace(time=0), lambda: 0, max_length).id
            except DocumentError as error:
                rejected += 1
                on_reject(Reject(error.id or item.id, error.reason))
                continue
            where = located(Reject(item.id, "")).where
            if texts.get(id) == item.text:
                on_same(where)
                continue
            if id in texts:
                both = f" ({read_from[id]} and {where})" if where else ""
                why = f"two documents have the id {id!r} but different texts{both}: give each its own id (for records, "
                why += "--id-field names the field), or leave one of them out"
                raise EvaluationError("corpus", why, id)
            texts[id], read_from[id] = item.text, where
            sources.append(utf8_text(source_of(item.fields)))
        elif isinstance(item, Reject):
            rejected += 1
            on_reject(item)
    if not texts:
        why = f" ({rejected:,} rejected)" if rejected else ""
        raise EvaluationError("corpus", f"there is no document in it{why}: there is nothing to compare")
    return Corpus(tuple(texts), tuple(texts.values()), tuple(sources))
