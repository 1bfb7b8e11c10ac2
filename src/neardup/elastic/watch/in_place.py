"""Prepares an index of another client so that its documents can be scored in place."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from neardup.elastic.admin.managed_objects import window_config
from neardup.elastic.admin.setup import set_up
from neardup.elastic.reindex.index_reader import Source
from neardup.elastic.watch.archive import check_source, check_text, map_marks, windows_in_place
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.state_document import kept_in_place, read_state
from neardup.elastic.window.window_state import check_no_budget_of_archive
from neardup.errors import SettingsError
from neardup.model.document import TIME_FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection

    from neardup.elastic.http.client import Cluster
    from neardup.model.settings import Settings
    from neardup.sources.fields import Fields

log = logging.getLogger("neardup")

_TIMELESS: Final = (
    "%s has no field of type date: its documents have no time, and are compared in order of their ids (--time-field "
    "names a number or a keyword to order them by)"
)


def prepare(
    cluster: Cluster, name: str, settings: Settings, fields: Fields, *, given: Collection[str] = ()
) -> Layout:
    """The layout of the window at the cluster's address whose documents are those of the index `name`.

    Sets up the window if it does not exist, and maps our object in the index: the only change to the index besides the
    marks. An existing window keeps its fields; those of `fields` that are `given` ("text_field", "time_field") must be
    the same. Raises `SettingsError` for an index that cannot be scored in place, that another window scores so, or that
    has no such text or time (but other dates), for a prefix whose window is kept elsewhere, and for a budget,
    `ClusterRejected` if the index has an object `neardup` of its own.
    """
    check_no_budget_of_archive(settings)
    state = read_state(cluster)
    if state is not None:
        state.check_kept_in(name)
        config = window_config(state.about)
        for what, kept, wanted in (
            ("text_field", config.text_field, fields.text),
            ("time_field", config.time_field, fields.time[0]),
        ):
            if what in given and kept != wanted:
                raise kept_in_place(cluster.address, what, kept, wanted)
        fields = type(fields)(fields.id, config.text_field, (config.time_field,))
    source = Source(cluster, name, fields)
    check_source(cluster, name)
    check_text(cluster, name, fields.text)
    if state is None:
        _check_unshared(source)
        _check_time(source)
        # No pipeline of ours signs what is in such an index.
        own = settings.with_changes(window_hours=0)
        set_up(cluster, settings=own, text_field=fields.text, time_field=source.time.name, sign="client")
    map_marks(cluster, name)
    return Layout(
        cluster.address, fields.text, source.time.name, client_signs=True, archive=name, compact=False,
        terms=True,
    )  # fmt: skip


def _check_unshared(source: Source) -> None:
    """Raises `SettingsError` if another window, as far as this user may see it, scores the same documents: neither
    would know of documents that the other has marked.
    """
    for other in windows_in_place(source.cluster, source.indices):
        expected = (
            f"an index that no other window scores in place, but {other} does: use that window, remove it first "
            f"(neardup remove --window {other}), or copy the documents, without --in-place"
        )
        raise SettingsError("from_index", source.name, expected)


def _check_time(source: Source) -> None:
    """Raises `SettingsError` if documents have none of the fields for the time, but one may be meant: the user named a
    field, or there are dates. Every document would count as one of the year 1, so that ids decide which copy is the
    original. Where there are no dates, a warning says so.
    """
    is_given = source.fields.time != TIME_FIELDS
    if source.time.kind is not None or (is_given and not source.count({"match_all": {}})):
        return
    dates = source.date_fields()
    if is_given or dates:
        usual = f"; without --time-field, neardup takes {' or '.join(TIME_FIELDS)} if there is one"
        expected = source.lacking_time() + ("" if dates else usual)
        raise SettingsError("time_field", source.fields.time[0], expected)
    log.warning(_TIMELESS, source.name)
