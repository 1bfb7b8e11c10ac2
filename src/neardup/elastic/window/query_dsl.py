"""Bodies of the searches for candidates of a signed text, as plain values (docs/definitions.md, Search).

No script anywhere, and nothing that only one of Elasticsearch and OpenSearch has (`terms_set` takes a minimum as a
number only in the first): lengths are a range, a minimum one of clauses. Two queries are our own (plugin/).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.admin.managed_objects import MAX_TERMS
from neardup.elastic.window.codec import OBJECT
from neardup.elastic.window.compact import packed_sketch, short_names

if TYPE_CHECKING:
    from neardup.elastic.window.index_layout import Layout
    from neardup.signing.signature import Keys

MOST_CLAUSES: Final = 512
"""Terms that are a clause each: a whole query may have 1,024 clauses."""


def at_least(field: str, terms: Sequence[str], minimum: int) -> dict[str, Any]:
    """Documents that hold at least `minimum` of `terms` (all different) in one of our fields; none if too few.

    More than `MOST_CLAUSES` terms share clauses, n in each: a document with the minimum of terms then matches at least
    ceil(minimum / n) clauses (which finds a superset, verified anyway).
    """
    name = f"{OBJECT}.{field}"
    if len(terms) < minimum or not terms:
        return {"match_none": {}}
    if minimum == 1 and len(terms) <= MAX_TERMS:
        return {"terms": {name: list(terms)}}
    together = -(-len(terms) // MOST_CLAUSES)
    parts = (list(terms[at : at + together]) for at in range(0, len(terms), together))
    clauses = [{"term": {name: part[0]}} if together == 1 else {"terms": {name: part}} for part in parts]
    return _matching(clauses, minimum, together)


def sharing(field: str, documents: Sequence[Sequence[str]], minimum: int) -> dict[str, Any]:
    """All documents that hold at least `minimum` terms of one of several `documents`, and a few that do not.

    The first terms of all documents are one clause, the second ones another, and so on: whatever shares n terms with
    one document matches n clauses. A clause of many terms costs a small part of as many clauses of one term, because
    its terms are looked up in one go.
    """
    longest = max(map(len, documents), default=0)
    if not longest:
        return {"match_none": {}}
    clauses: list[set[str]] = [set() for _ in range(min(longest, MOST_CLAUSES))]
    for document in documents:
        for position, term in enumerate(sorted(document)):
            clauses[position % len(clauses)].add(term)
    in_each = -(-longest // len(clauses))
    return _matching([terms(field, sorted(clause)) for clause in clauses], minimum, in_each)


def _matching(clauses: Sequence[dict[str, Any]], minimum: int, in_each: int) -> dict[str, Any]:
    """Documents that match as many clauses as `minimum` terms fill, with `in_each` terms in a clause."""
    return {"bool": {"should": list(clauses), "minimum_should_match": -(-minimum // in_each)}}


def sketch_terms(sketch: Keys, layout: Layout) -> list[str]:
    """The terms by which the keys of a sketch are indexed in a window."""
    keys = sketch.tolist()
    return short_names(keys) if layout.compact else [f"{key:016x}" for key in keys]


def sketches_like(sketches: Sequence[Keys], least: Sequence[int]) -> dict[str, Any]:
    """The plugin's query for the documents that share at least `least[i]` keys with one of `sketches`."""
    packed = [packed_sketch(sketch) for sketch in sketches]
    return {"neardup_sketch": {"field": OBJECT, "sketches": packed, "at_least": list(least)}}


def copies_of(text: str, threshold: Fraction) -> dict[str, Any]:
    """The plugin's own query: documents with doc_q >= t with `text`, and no others.

    The query takes decimals only; any other fraction is rounded down to millionths, which finds a superset.
    """
    millionths = max(threshold.numerator * 1_000_000 // threshold.denominator, 1)
    return {"neardup": {"field": OBJECT, "like": {"text": text}, "threshold": millionths / 1_000_000}}


def lengths(least: int, threshold: Fraction, most: int | None = None, *, largest: int = 0) -> dict[str, Any]:
    """Documents whose number of q-grams |B| allows doc_q >= t with a set of `least` to `most` q-grams (None: `least`):
    t·|A| <= |B| <= |A|/t. Sets larger than `largest` (unless that is 0) are treated as exactly this size.
    """
    low = -(-threshold.numerator * least // threshold.denominator)
    high = threshold.denominator * (least if most is None else most) // threshold.numerator
    bounds = {"gte": low} if 0 < largest <= high else {"gte": low, "lte": high}
    return {"range": {f"{OBJECT}.qgram_count": bounds}}


def times(first: int, last: int) -> dict[str, Any]:
    """Documents of a time from `first` to before `last`, in milliseconds."""
    return {"range": {f"{OBJECT}.time": {"gte": first, "lt": last}}}


def term(field: str, value: str | int) -> dict[str, Any]:
    """Documents with one value of one of our fields."""
    return {"term": {f"{OBJECT}.{field}": {"value": value}}}


def terms(field: str, values: Iterable[str | int]) -> dict[str, Any]:
    """Documents with one of several values of one of our fields."""
    return {"terms": {f"{OBJECT}.{field}": list(values)}}


def any_of(queries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Documents that match one of `queries` at least."""
    return queries[0] if len(queries) == 1 else {"bool": {"should": list(queries), "minimum_should_match": 1}}


def all_of(queries: Sequence[dict[str, Any]], must_not: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Documents that match all of `queries` and none of `must_not`, unscored."""
    return {"bool": {"filter": list(queries), **({"must_not": list(must_not)} if must_not else {})}}
