"""Overview of a window: its groups, and the window in figures."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.index.candidates import Candidates
from neardup.model.hours import FIRST_HOUR, FIRST_NAMED, LAST_NAMED, hour_name
from neardup.model.times import format_time
from neardup.model.verdict import Group, Member, Overlap
from neardup.stores.records import are_copies, are_truncated, chosen_rows, kind_counts
from neardup.stores.remembered_settings import earlier
from neardup.window.base import ReadDocument, Stats
from neardup.window.comparison import verifier_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.model.verdict import Verdict
    from neardup.stores.base import Shown
    from neardup.window.session import Session
    from neardup.window.state import State

_ANY_OVERLAP: Final = Fraction(1, 1 << 32)
"""A threshold that one shared q-gram reaches, whatever the size of the texts."""


def groups(session: Session) -> list[Group]:
    """See `Window.groups`; all are read before anything can change."""
    session.synchronise()
    return list(_groups(session.state))


def _groups(state: State) -> Iterator[Group]:
    """The groups of a window; reads one blob for each member."""
    table = state.table
    listed = []
    for head_arrival, all_docs in table.members.items():
        docs = sorted((doc for doc in all_docs if table.is_present(doc)), key=table.arrival_key)
        if docs:
            listed.append((int(table.group_times[docs[0]]), head_arrival, docs))
    read = state.members([doc for *_, docs in listed for doc in docs])
    known = [(time, arrival, docs, [next(read) for _ in docs]) for time, arrival, docs in listed]
    known.sort(key=lambda group: (group[0], group[3][0][0], group[1]))
    for time, _, docs, named in known:
        head = named[0][0]
        is_there = _head_doc(state, head, docs[0]) is not None
        members = _members(state, head, docs, [member for _, member in named])
        yield Group(head, format_time(time), tuple(members), is_there)


def _members(state: State, head: str, docs: Sequence[int], members: Sequence[Member]) -> Iterator[Member]:
    """The members of one group; an overlap with the head that was not stored is counted now, if the head is there."""
    lacking = [doc for doc, member in zip(docs, members, strict=True) if member.score is None]
    counted = _overlaps_with_head(state, head, lacking) if lacking else {}
    for doc, member in zip(docs, members, strict=True):
        overlap = counted.get(doc)
        yield member if overlap is None else member._replace(score=overlap.score, shared=overlap.shared)


def _head_doc(state: State, head: str, member: int) -> int | None:
    """The document that heads the group of `member`; None if it has gone, even if another has its id now."""
    table, doc = state.table, state.table.ids.get(head)
    return doc if doc is not None and table.arrivals[doc] == table.group_arrivals[member] else None


def _overlaps_with_head(state: State, head: str, docs: Sequence[int]) -> dict[int, Overlap]:
    """The overlaps of members `docs` with the head of their group, from the stored texts; {} if it is gone."""
    head_doc = _head_doc(state, head, docs[0])
    if head_doc is None:
        return {}
    signed = state.search.query_batch(state.texts(docs), normal=True)
    count = len(docs)
    pairs = Candidates(np.arange(count), np.full(count, head_doc), np.zeros(count, np.bool_))
    verifier = verifier_of(state, signed, pairs, _ANY_OVERLAP, rule=None, listed=1)
    compared = [verifier.compared(i, FIRST_HOUR).matches for i in range(count)]
    return {doc: best for doc, (best, *_) in zip(docs, compared, strict=True) if best is not None}


def stored_verdict(session: Session, id: str) -> Verdict | None:
    """See `Window.get`."""
    session.synchronise()
    doc = session.state.table.ids.get(id)
    return None if doc is None else session.state.stored_verdicts([doc])[0]


def documents(session: Session, ids: Sequence[str]) -> list[ReadDocument | None]:
    """See `Window.read`: from these documents alone, where the store finds them at less cost than all."""
    session.synchronise()
    state = session.state
    docs = [state.table.ids.get(id) for id in ids]
    known = sorted({doc for doc in docs if doc is not None})
    shown = state.store.shown(state.table.rows[known])
    bare = [doc for doc, shown in zip(known, shown, strict=True) if shown.text is None]
    absent = state.store.absent(state.table.rows[bare]) if bare else ()
    there = [doc for doc, is_absent in zip(bare, absent, strict=True) if not is_absent]
    normal = dict(zip(there, state.texts(there), strict=True))
    kept = {
        doc: each for doc, each in zip(known, shown, strict=True) if each.text is not None or doc in normal
    }
    verdicts = state.stored_verdicts(list(kept))
    read = {
        doc: _read(state, doc, each, normal.get(doc), verdict)
        for (doc, each), verdict in zip(kept.items(), verdicts, strict=True)
    }
    return [None if doc is None else read.get(doc) for doc in docs]


def _read(state: State, doc: int, shown: Shown, normal: bytes | None, verdict: Verdict) -> ReadDocument:
    """A document with its text as it came, or its `normal` form."""
    text = shown.text if normal is None else normal.decode()
    time = format_time(int(state.table.times[doc]))
    original = "" if normal is not None else text or ""  # a normal form has lost its boilerplate already
    left_out = state.signer.counted.left_out(original, shown.fields)
    return ReadDocument(verdict.id, time, text or "", normal is None, shown.fields, verdict, left_out)


def ids(state: State) -> list[str]:
    """The ids of all documents, in order of arrival."""
    known = state.table.ids
    return [known[doc] for doc in known.docs().tolist()]


def stats(state: State) -> Stats:
    """See `Window.stats`."""
    table = state.table
    known = table.ids.docs()
    rows = chosen_rows(table.rows, known)
    hours = sorted(table.by_hour.documents)
    undecided = state.store.count_undecided()
    budget = state.next_commit.budget_hour
    own = state.settings.remembered | state.store.remembered
    return Stats(
        documents=table.present,
        copies=int(np.count_nonzero(are_copies(rows))),
        kinds=kind_counts(rows),
        groups=sum(any(table.is_present(doc) for doc in docs) for docs in table.members.values()),
        truncated=int(np.count_nonzero(are_truncated(rows))),
        unscored=undecided.unscored,
        waiting=undecided.waiting,
        hours={hour_name(hour): table.by_hour.documents[hour] for hour in hours},
        newest=hour_name(state.newest) if state.newest > FIRST_HOUR else None,
        window_hours=state.settings.window_hours,
        keep_hours=state.settings.kept_hours,
        budget_floor=hour_name(min(budget, LAST_NAMED)) if budget > FIRST_NAMED else None,
        postings_keys=state.search.lists.keys,
        memory_bytes=state.search.memory + table.memory,
        retrieval=own["retrieval"],
        threshold=own["threshold"],
        policy=own["policy"],
        recipe=state.signer.text,
        mixed=earlier(own),
    )
