"""A group read as a story: who had the text first, who followed after how long, how many texts there really are; and
which document gives a group its title, by one rule for pages, tables and reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from neardup.kinds.kind import kinds_of
from neardup.model.document import encode_text
from neardup.model.times import parse_time
from neardup.reading.group_order import by_time
from neardup.reading.origins import origins_of, shared

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from neardup.model.verdict import Group
    from neardup.signing.signer import Signer
    from neardup.window.base import ReadDocument

GroupKind = Literal["copies", "form"]

_KIND_SAMPLE: Final = 20
"""How many versions, spread evenly over a group, decide its kind."""


class Version(NamedTuple):
    """A document of a story.

    score           doc_q with the head of the group; None for the head itself, and where it is not known
    matched         its best match when its verdict was made, which need not be the head
    matched_score   doc_q with that match
    after_ms        how long after the first document of the story it came
    of_first        the share of the first document's q-grams that it has; None where either text is not known
    origin          which of the independent texts it has, from 0 on in order of time; None where its text is not known
    """

    id: str
    time: str
    source: str | None
    score: float | None
    matched: str | None
    matched_score: float | None
    after_ms: int
    of_first: float | None
    origin: int | None


class Story(NamedTuple):
    """A group of copies, by time.

    kind     "form" if most versions that differ from the head are a form with it (`neardup.kinds.kind_of`), else
             "copies"; None where texts were not kept
    origins  how many independent texts its versions have: texts without one before them of doc_q >= `SAME_TEXT`; None
             where texts were not kept
    across   how many versions, except the first, come from a source new to the story; `within` counts those from a
             source that had one before. A version without a source is in neither
    """

    group: Group
    versions: tuple[Version, ...]
    kind: GroupKind | None
    origins: int | None
    across: int
    within: int

    @property
    def span_ms(self) -> int:
        """How long after the first document the last came."""
        return self.versions[-1].after_ms

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "head": self.group.head,
            "kind": self.kind,
            "size": self.group.size,
            "span_ms": self.span_ms,
            "origins": self.origins,
            "across": self.across,
            "within": self.within,
            "versions": [version._asdict() for version in self.versions],
        }


def stored_ids(group: Group) -> list[str]:
    """The ids of the documents that a group has now: that of the head unless it has gone, for another document may have
    its id, and those of the members.
    """
    return [*([group.head] if group.head_is_there else ()), *(member.id for member in group.members)]


def title_ids(group: Group) -> list[str]:
    """The ids of the documents that may give a group its title: the head unless it has gone, then members by time."""
    return stored_ids(group)[:2]


def titled_by(group: Group, documents: Mapping[str, ReadDocument]) -> ReadDocument | None:
    """The first of `title_ids` that is among `documents`, which are by id; None if none is."""
    return next((documents[id] for id in title_ids(group) if id in documents), None)


class _Listed(NamedTuple):
    """A document of a group with the values that the group has of it."""

    id: str
    time: str
    score: float | None = None
    matched: str | None = None
    matched_score: float | None = None


def story(
    group: Group, documents: Mapping[str, ReadDocument], signer: Signer, source_field: str = "source"
) -> Story:
    """The story of a group; `documents` has those of its documents that still exist (`stored_ids`), by id.

    Costs about 0.2 ms a version of 4 KB, and 0.1 ms for each of the twenty that decide the kind.
    """
    listed = sorted(_listed(group), key=by_time)
    texts = {id: document.counted for id, document in documents.items() if document.is_original}
    keys = _key_sets([each.id for each in listed if each.id in texts], texts, signer)
    origin_of, first = origins_of(keys), keys.get(listed[0].id)
    begun = parse_time(listed[0].time)
    versions = tuple(
        Version(
            each.id,
            each.time,
            _source(documents.get(each.id), source_field),
            each.score,
            each.matched,
            each.matched_score,
            parse_time(each.time) - begun,
            _part_of_first(first, keys.get(each.id)),
            origin_of.get(each.id),
        )
        for each in listed
    )
    across, within = _by_source(versions)
    origins = len(set(origin_of.values())) if origin_of else None
    return Story(group, versions, _kind(group, listed, texts, signer), origins, across, within)


def _listed(group: Group) -> Iterator[_Listed]:
    yield _Listed(group.head, group.time)
    for member in group.members:
        yield _Listed(member.id, member.time, member.score, member.duplicate_of, member.duplicate_score)


def _source(document: ReadDocument | None, field: str) -> str | None:
    value = None if document is None else document.fields.get(field)
    return None if value is None else str(value)


def _key_sets(ids: Sequence[str], texts: Mapping[str, str], signer: Signer) -> dict[str, NDArray[np.uint64]]:
    """The distinct keys of the q-grams of texts, by id."""
    keys, offsets = signer.key_sets(signer.sign([encode_text(texts[id]) for id in ids]))
    return {id: keys[offsets[at] : offsets[at + 1]] for at, id in enumerate(ids)}


def _part_of_first(first: NDArray[np.uint64] | None, own: NDArray[np.uint64] | None) -> float | None:
    if first is None or own is None or not len(first):
        return None
    return shared(first, own) / len(first)


def _by_source(versions: Sequence[Version]) -> tuple[int, int]:
    """(How many versions, except the first, are from a source new to the story; how many from a source seen before)."""
    seen = {versions[0].source}
    across = within = 0
    for version in versions[1:]:
        if version.source is None:
            continue
        if version.source in seen:
            within += 1
        else:
            across += 1
        seen.add(version.source)
    return across, within


def _kind(
    group: Group, listed: Sequence[_Listed], texts: Mapping[str, str], signer: Signer
) -> GroupKind | None:
    """The kind of a group: "form" if most versions that differ from the head are a form with it; None without texts."""
    first = (
        group.head if group.head in texts else next((each.id for each in listed if each.id in texts), None)
    )
    others = [each.id for each in listed if each.id in texts and each.id != first]
    if first is None or not others:
        return None
    sample = min(len(others), _KIND_SAMPLE)
    head = encode_text(texts[first])
    chosen = [encode_text(texts[others[at * len(others) // sample]]) for at in range(sample)]
    kinds = kinds_of([(head, each) for each in chosen], fold_case=signer.recipe.fold_case)
    differing = [kind for kind in kinds if kind.likeness < 1]
    return "form" if 2 * sum(kind.name == "form" for kind in differing) > len(differing) else "copies"
