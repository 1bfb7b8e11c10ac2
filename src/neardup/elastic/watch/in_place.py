"""Prepares an index of another client so that its documents can be scored in place."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from neardup.elastic.admin.managed_objects import window_config
from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.admin_api import index_names
from neardup.elastic.http.api import WHAT_IS_THERE, Hit, search
from neardup.elastic.reindex.index_reader import Source
from neardup.elastic.watch.archive import check_source, check_text, map_marks
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.state_document import read_state
from neardup.errors import ClusterRefused, SettingsError
from neardup.sources.fields import TIME_FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection

    from neardup.elastic.http.client import Cluster
    from neardup.model.settings import Settings
    from neardup.sources.fields import Fields

_MOST_WINDOWS: Final = 10_000
"""How many windows are looked at: as many as one search returns, more than any cluster has indices for."""


def prepare(
    cluster: Cluster, name: str, settings: Settings, fields: Fields, *, given: Collection[str] = ()
) -> Layout:
    """The layout of the window at the cluster's address whose documents are those of the index `name`.

    Sets up the window if it does not exist, and maps our object in the index: the only change to the index besides the
    marks. An existing window keeps its fields; those of `fields` that are `given` ("text_field", "time_field") must be
    the same. Raises `SettingsError` for an index that cannot be scored in place, that another window scores so, or that
    has no such text or time, and for a prefix whose window is kept elsewhere, `ClusterRejected` if the index has an
    object `neardup` of its own.
    """
    state = read_state(cluster)
    if state is not None:
        state.check_kept_in(name)
        config = window_config(state.about)
        for what, kept, wanted in (
            ("text_field", config.text_field, fields.text),
            ("time_field", config.time_field, fields.time[0]),
        ):
            if what in given and kept != wanted:
                raise SettingsError(
                    what, wanted, f"{kept!r}, as this window was set up: another value needs another prefix"
                )
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
    return Layout(cluster.address, fields.text, source.time.name, client_signs=True, archive=name)


def _check_unshared(source: Source) -> None:
    """Raises `SettingsError` if another window, as far as this user may see it, scores the same documents: neither
    would know of documents that the other has marked.
    """
    address = source.cluster.address
    states = replace(address, prefix="*").state
    body = {"query": {"ids": {"values": ["window"]}}, "_source": ["archive"], "size": _MOST_WINDOWS}
    hits = list[Hit]()
    with suppress(ClusterRefused):
        hits = search(source.cluster, states, body, WHAT_IS_THERE).hits
    for hit in hits:
        archive = hit.source.get("archive")
        if isinstance(archive, str) and set(index_names(source.cluster, archive)) & set(source.indices):
            other = replace(address, prefix=hit.index.removeprefix(replace(address, prefix="").state))
            expected = (
                f"an index that no other window scores in place, but {other} does: use that window, remove it first "
                "(docs/elasticsearch.md), or copy the documents, without --in-place"
            )
            raise SettingsError("from_index", source.name, expected)


def _check_time(source: Source) -> None:
    """Raises `SettingsError` if the user named a time field that no document has."""
    named, is_given = source.fields.time[0], source.fields.time != TIME_FIELDS
    if is_given and source.time.kind is None and source.count({"match_all": {}}):
        otherwise = f"without --time-field, neardup takes {' or '.join(TIME_FIELDS)} if there is one"
        expected = f"a field of {source.name}, which has none of this name: {otherwise}"
        raise SettingsError("time_field", named, expected)
