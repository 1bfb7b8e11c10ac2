"""Takes a window in a cluster away: what would go, and the removal itself, which can be interrupted and repeated.

The lease is held until the state goes, so that no scorer decides anything meanwhile. The state goes after hours and
marks, because only it says which index the window scores in place; templates and the like go last.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.elastic.admin.cluster_snapshot import take_snapshot
from neardup.elastic.admin.removal import Removal, delete_entry, hours_left, removal_of
from neardup.elastic.http.admin_api import (
    ALL_THAT_ARE_THERE,
    delete_index,
    index_names,
    index_settings,
    own_index,
)
from neardup.elastic.http.api import count_once
from neardup.elastic.watch.archive import windows_in_place
from neardup.elastic.watch.leadership import scorer_at_work
from neardup.elastic.watch.mark_removal import check_takes_writes, marked, remove_marks
from neardup.elastic.window.last_epoch import last_epoch
from neardup.elastic.window.state_document import read_state
from neardup.errors import NotSetUp, SettingsError, WindowLocked
from neardup.model.counted import counted, some_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from neardup.elastic.http.client import Cluster

log = logging.getLogger("neardup")

_EVERYTHING: Final[dict[str, Any]] = {"match_all": {}}
_STATE_LOST: Final = (
    "the state of this window is lost, which said whether it scores an index in place; if it does, the documents there "
    "keep the object neardup: `neardup ingest --from-index INDEX --in-place --window {0}` makes the state again, and "
    "then `neardup remove --window {0}` removes that object, too"
)


class NothingToRemove(NotSetUp):
    """The cluster has nothing of the window at `address`."""

    def __str__(self) -> str:
        return f"{self.address}: there is nothing to remove, because no window is set up here"


class Step(NamedTuple):
    """A part of the removal: a verb, and what it is done to, in words."""

    verb: str
    what: str

    def __str__(self) -> str:
        return f"{self.verb} {self.what}"

    @property
    def done(self) -> str:
        """The step in words, once it is done."""
        return f"{self.verb}d {self.what}"


class RemovalPlan(NamedTuple):
    """What goes with a window: `removal`, and the marks in the `archive` that it scores in place, as many as `marks`
    says for each index. `before` is greater than every arrival that its scorers have given. `notes`: what stays.
    `epoch`: the last one that had begun; None if there is no state document.
    """

    removal: Removal
    archive: str | None
    marks: dict[str, int]
    before: int
    notes: list[str]
    epoch: int | None = None


def plan_removal(cluster: Cluster) -> RemovalPlan:
    """What goes with the window at the cluster's address. Changes nothing.

    Raises `NothingToRemove` if the cluster has nothing of such a window, `WindowDamaged` if its state cannot be read,
    and `SettingsError` if another window scores the same index in place.
    """
    own = cluster.address
    state = read_state(cluster)
    own_index(cluster, own.state, fields=())  # somebody's alias of that name is an error
    snapshot = take_snapshot(cluster)
    states = index_names(cluster, "neardup-state-*", expand="all")
    others = [name for name in states if name != own.state]
    archive = None if state is None else state.archive
    piped = _indices_with_pipeline(cluster)
    removal = removal_of(own, snapshot, archive=archive, other_states=others, piped=piped)
    if removal.is_empty:
        raise NothingToRemove(str(own))
    notes = list(removal.kept)
    if state is None and not removal.hours and (snapshot.about or {}).get("signed_by") == "client":
        notes.append(_STATE_LOST.format(own))
    if state is None or archive is None:
        return RemovalPlan(removal, None, {}, 0, notes, None if state is None else state.epoch)
    # Arrivals that a scorer gave before it died are the window's, too; this process may hold the lease.
    begun = state.next_epoch(lost=True) if state.has_dead_holder else state
    before = begun.commit.next_order
    marks = _marks(cluster, archive, before, notes)
    return RemovalPlan(removal, archive, marks, before, notes, state.epoch)


def _indices_with_pipeline(cluster: Cluster) -> list[str]:
    """The indices that name the window's pipeline, as far as this user may see them: those under the prefix, for which
    its template is, also if they are no hours; and those of other clients, which may have their documents signed.
    """
    own, names = cluster.address, ("index.default_pipeline", "index.final_pipeline")
    there: dict[str, Any] = {}
    # Not all that is hidden: servers warn of requests to indices of their own.
    for target, expand in (("*", "open,closed"), (own.pattern, "all")):
        params = {**ALL_THAT_ARE_THERE, "expand_wildcards": expand}
        there |= index_settings(cluster, target, *names, params=params)
    return [index for index, each in there.items() if own.pipeline in each["settings"].values()]


def _marks(cluster: Cluster, archive: str, before: int, notes: list[str]) -> dict[str, int]:
    """How many marks each index of `archive` has. Adds to `notes` what stays there."""
    indices = index_names(cluster, archive, expand="all")
    if not indices:
        notes.append(f"{archive}, which this window scores in place, does not exist")
        return {}
    for name in indices:
        if cluster.address.hour_of_index(name) is not None:
            # Without its state, this window would look like one of hours that is half removed.
            expected = (
                "an index that is not called as an hour of this window is: the next run could delete it"
            )
            raise SettingsError("archive", name, expected)
    for other in windows_in_place(cluster, indices):
        expected = (
            f"an index that no other window scores in place, but {other} does, whose marks would go, too"
        )
        raise SettingsError("archive", archive, expected)
    notes.append(
        f"{archive} and its documents stay, and so does the mapping of neardup, because a cluster removes no mapping"
    )
    for name, documents in marked(cluster, archive, before, others=True).items():
        notes.append(
            f"verdicts in {name} that no scorer of this window gave stay ({counted(documents, 'document')})"
        )
    return marked(cluster, archive, before)


def at_work(cluster: Cluster) -> str | None:
    """A process for which `remove` is refused now, because it scores the window or holds its lease; None if there is
    none.
    """
    state = read_state(cluster)
    if state is not None and state.holder is not None and not state.has_dead_holder:
        return state.holder
    return scorer_at_work(cluster)


def steps_of(cluster: Cluster, plan: RemovalPlan) -> Iterator[Step]:
    """The steps of a removal, with the number of documents in each hour that can be read. Raises `SettingsError` for an
    index whose marks cannot be removed as it is.
    """
    if plan.archive is not None:
        check_takes_writes(cluster, plan.archive, plan.marks)
    yield from (_of_marks(name, documents) for name, documents in plan.marks.items())
    for name in plan.removal.hours:
        documents = count_once(cluster, name, _EVERYTHING, refreshing=True)
        yield _of_index(name, "" if documents is None else f" ({counted(documents, 'document')})")
    if plan.removal.has_state:
        yield _of_index(cluster.address.state)
    for entry in plan.removal.objects:
        yield Step("delete", f"{entry.kind.title} {entry.name}")


def _of_marks(index: str, documents: int) -> Step:
    return Step("remove", f"the object neardup from {counted(documents, 'document')} of {index}")


def _of_index(name: str, also: str = "") -> Step:
    return Step("delete", f"index {name}{also}")


def remove(cluster: Cluster) -> Generator[Step]:
    """Takes the window at the cluster's address away; yields each step when it is done. Close the generator if it is
    not read to its end: it holds the lease.

    The documents of its hours are deleted; those of an index scored in place lose their marks and stay otherwise as
    they are. If it is interrupted, the next call goes on; a window whose marks were being removed can then neither be
    read nor scored (`RemovalBegun`). Needs the roles `setup` and `scorer`, and rights that
    docs/security.md names. Raises `WindowLocked` while a scorer is at work, and what `plan_removal` raises;
    `SettingsError` for an index whose marks cannot be removed as it is.
    """
    plan = plan_removal(cluster)
    if (holder := at_work(cluster)) is not None:
        raise WindowLocked(str(cluster.address), holder)
    with last_epoch(cluster, plan.epoch) as epoch:
        plan = plan_removal(cluster)  # a scorer may have come and gone
        if plan.archive is not None:
            check_takes_writes(cluster, plan.archive, plan.marks)
            if plan.marks:
                epoch.begin_removal()
                remove_marks(cluster, plan.archive, plan.before, epoch.keep)
            yield from (_of_marks(name, documents) for name, documents in plan.marks.items())
        for name in plan.removal.hours:
            epoch.keep()
            delete_index(cluster, name)
            yield _of_index(name)
        if plan.removal.has_state:
            epoch.keep()
            epoch.delete_state()
            yield _of_index(cluster.address.state)
    for entry in plan.removal.objects:
        if why := delete_entry(cluster, entry):
            log.warning("%s", why)
        else:
            yield Step("delete", f"{entry.kind.title} {entry.name}")
    _tell_made_again(cluster, plan)


def _tell_made_again(cluster: Cluster, plan: RemovalPlan) -> None:
    """Logs what other clients and scorers have made again while it was deleted."""
    hours = hours_left(cluster) if plan.archive is None else []
    if again := [*hours, *index_names(cluster, cluster.address.state, expand="all")]:
        log.warning(
            "%s: made again meanwhile; stop the clients and scorers that write there, and run again",
            some_of(again),
        )
