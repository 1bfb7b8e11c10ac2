"""Checks of where the documents of a window lie, its archive or its hours, and of its state document. Reads only."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from neardup.elastic.admin.checks import PATIENCE, TIMEOUT
from neardup.elastic.http.admin_api import config_of_template
from neardup.elastic.http.client import Cluster
from neardup.elastic.watch.archive_checks import (
    check_archive,
    check_blocks,
    check_fields,
    check_hours_index,
    check_state_index,
    closed,
)
from neardup.elastic.watch.state_checks import check_given_up, examine_state, hours_left, opened_state
from neardup.elastic.watch.waiting_checks import check_waiting
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.scored_documents import (
    copied_within,
    verdicts_of_others,
)
from neardup.elastic.window.state_document import RemovalBegun, read_state
from neardup.errors import (
    ClusterRefused,
    ClusterRejected,
    ClusterUnreachable,
    NeardupError,
    WindowDamaged,
    WindowResigning,
)
from neardup.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.http.address import Address, Credentials
    from neardup.elastic.window.state_document import StateDocument

_LOST: Final = (
    "no state document, and no scored documents in hours of this window: if it scores an index in place, "
    "`neardup ingest --from-index INDEX --in-place --window {window}` makes it anew (`neardup setup` would make a "
    "window of hours of it); else `neardup setup --window {window}` does"
)
"""Only the state document said which of the two kinds of window it was."""
_OF_OTHERS: Final = (
    "verdicts that no scorer of this window gave, as `_reindex` or an export copies them from another, are in {:,} of "
    "its documents, such as {}: they do not count, and their documents wait for none; index them again without the "
    "object neardup, for `neardup watch`"
)

_COPIED: Final = (
    "{} and {} have the same arrival, so the window cannot be read: `_reindex` and `_clone` copy documents with their "
    "verdicts; index such copies again without the object neardup, for `neardup watch`, or delete them"
)


def examine_documents(address: Address, credentials: Credentials) -> Iterator[Finding]:
    """The findings of `doctor` about the documents of a window: its archive, if it has one, or its hours that are
    closed or index nothing; that its state index is closed or blocked, or why its state document keeps the window from
    being opened; whether documents lack their text or their time, were given up for a budget in an archive, or wait for
    a verdict; whether there are verdicts that another window gave, or, as far as a sample shows, copies of its own
    documents. A check that cannot be made is a finding; that the cluster does not answer, or refuses the user, is
    reported by other checks.
    """
    what = f"state of {address.prefix}"
    with (
        suppress(ClusterUnreachable),
        Cluster(address, credentials, patience=PATIENCE, timeout=TIMEOUT) as cluster,
    ):
        shut = None
        # If the user may not see the settings, reading the state document shows the fault.
        with suppress(ClusterRefused, ClusterRejected):
            shut = check_state_index(cluster)
        if shut is not None:
            yield shut
        try:
            state = opened_state(cluster)
        except WindowResigning as error:
            yield Finding(what, "bad", f"{error}{hours_left(cluster, error.recipe)}")
            return
        except (RemovalBegun, WindowDamaged) as error:
            yield Finding(what, "bad", str(error))
            return
        except (ClusterRefused, ClusterRejected) as error:
            if shut is None and not (isinstance(error, ClusterRefused) and error.action is None):
                yield _not_looked(what, "whether the window can be opened", error)
            return
        if state is not None:
            yield from examine_state(address, state)
        amiss = list(_looked(what, "where its documents lie", _where_kept(cluster, state)))
        yield from amiss
        # Where documents cannot be read, that is what is to be mended first.
        if state is not None and all(each.state != "bad" for each in amiss):
            layout = Layout.described(address, state.about, state.archive)
            documents, whether = f"documents of {address.prefix}", "whether they have text and time"
            yield from _looked(documents, whether, check_fields(cluster, layout))
            given_up = check_given_up(cluster, state)
            yield from _looked(documents, "whether any were given up for a budget", given_up)
            yield from _looked(documents, "whether any wait for a verdict", check_waiting(cluster, layout))
            yield from _verdicts_not_given(cluster, layout, state)


def readable_state(address: Address, credentials: Credentials) -> StateDocument | None:
    """The state of the window, from which `examine` is told what kind of window it is; None if it cannot be read."""
    with suppress(NeardupError), Cluster(address, credentials, patience=PATIENCE, timeout=TIMEOUT) as cluster:
        return read_state(cluster)
    return None


def _looked(what: str, whether: str, check: Iterator[Finding]) -> Iterator[Finding]:
    """The findings of `check`; if it could not be made, or not to its end, the last one says so."""
    try:
        yield from check
    except NeardupError as error:
        yield _not_looked(what, whether, error)


def _not_looked(what: str, whether: str, error: NeardupError) -> Finding:
    return Finding(what, "warning", f"it could not be seen {whether}: {error}")


def _where_kept(cluster: Cluster, state: StateDocument | None) -> Iterator[Finding]:
    """Findings on the archive of a window with this `state`, or on hours that are closed or index nothing, or on a
    missing state.
    """
    address = cluster.address
    if state is not None and state.archive is not None:
        yield check_archive(cluster, state.archive)
        yield from check_blocks(cluster, state.archive)
    elif names := Layout(address).closed_hours(cluster, state.commit.floor_hour if state else None):
        yield from map(closed, names)
    else:
        yield from check_hours_index(cluster)
        if state is None and config_of_template(cluster) is not None:
            yield Finding(f"state of {address.prefix}", "warning", _LOST.format(window=address))


def _verdicts_not_given(cluster: Cluster, layout: Layout, state: StateDocument) -> Iterator[Finding]:
    """Findings on documents with verdicts that no scorer of this window gave them."""
    what = f"verdicts in {cluster.address.prefix}"
    yield from _looked(what, "whether others have given some", _given_by_others(what, cluster, layout, state))
    yield from _looked(
        what, "whether documents were copied within the window", _copied(what, cluster, layout, state)
    )


def _given_by_others(what: str, cluster: Cluster, layout: Layout, state: StateDocument) -> Iterator[Finding]:
    others = verdicts_of_others(cluster, layout, state.commit.next_order)
    if others is not None and not _is_at_rest(cluster, state):
        # The scorer at work may have given their arrivals.
        others = verdicts_of_others(cluster, layout, None)
    if others is not None:
        count, ref = others
        text = _OF_OTHERS.format(count, f"{ref.index}/{ref.id}")
        yield Finding(what, "warning", text)


def _copied(what: str, cluster: Cluster, layout: Layout, state: StateDocument) -> Iterator[Finding]:
    pair = copied_within(cluster, layout, state)
    if pair is not None and _is_at_rest(cluster, state):
        yield Finding(what, "bad", _COPIED.format(*(f"{ref.index}/{ref.id}" for ref in pair)))


def _is_at_rest(cluster: Cluster, state: StateDocument) -> bool:
    """Whether no scorer has been at work since `state` was read; one might have written the documents in question."""
    return state.holder is None and read_state(cluster) == state
