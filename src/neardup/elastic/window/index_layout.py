"""Layout: names of the indices and fields of a window; and requests about whole indices, up to their deletion."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from neardup.elastic.admin.managed_objects import MAX_LENGTH, TEXT_FIELD, TIME_FIELD, window_config
from neardup.elastic.http.admin_api import (
    ALL_THAT_ARE_THERE,
    MAPPED,
    delete_index,
    index_names,
    index_settings,
    is_mapped,
    own_index,
)
from neardup.elastic.http.api import NO_INDEX_NEEDED, DocumentRef, count_once, refresh
from neardup.errors import ClusterRejected, SettingsError, WindowDamaged
from neardup.model.counted import some_of
from neardup.model.settings import HOUR_MS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.lease import Lease
    from neardup.elastic.window.state_document import StateDocument
    from neardup.model.document import Prepared
    from neardup.model.settings import Settings
    from neardup.signing.signer import Signer

log = logging.getLogger("neardup")

_CLOSED: Final = "index_closed_exception"
_SIGNED_BY: Final = (
    "mappings._meta.neardup", "mappings.enabled", *MAPPED, "settings.index.final_pipeline",
)  # fmt: skip
LOSSLESS_NEEDED: Final = (
    "sketch: the q-grams of this window are not indexed (neardup setup --no-lossless); to have them, set up another "
    "window without that option and copy the documents there (neardup ingest --from-index)"
)
_WORDS_NEEDED: Final = (
    "left out: this window has no sentences and simhashes (neardup setup --no-words); to have them, set up another "
    "window without that option and copy the documents there (neardup ingest --from-index)"
)


@dataclass(frozen=True)
class Layout:
    """The indices and fields of one window.

    The window has one index for each hour of event time, or else an `archive` that is scored in place and is not ours:
    an index, or an alias or a data stream that stands for several. `client_signs`: no plugin signs documents, so the
    client sends whole signatures; `compact`: signatures are a few short strings, not lists; `lossless`: they have
    q-grams; `words`: they have sentences and simhashes; `terms`: in new hours they are terms, which Elasticsearch's own
    queries search for (in an hour without terms such a query is an error); `max_length`: the longest text that is
    signed. `text_field` and `time_field` may be dotted.
    """

    address: Address
    text_field: str = TEXT_FIELD
    time_field: str = TIME_FIELD
    client_signs: bool = False
    archive: str | None = None
    compact: bool = True
    lossless: bool = True
    words: bool = True
    terms: bool = False
    max_length: int = MAX_LENGTH

    @classmethod
    def of(cls, address: Address, config: WindowConfig, archive: str | None) -> Self:
        """The layout of a window that is set up with `config`."""
        is_archive = archive is not None
        return cls(
            address,
            text_field=config.text_field,
            time_field=config.time_field,
            client_signs=config.signed_by == "client",
            archive=archive,
            compact=config.compact and not is_archive,  # one that was there before has no analyzers of ours
            lossless=config.lossless,
            words=config.words or is_archive,
            terms=config.terms or is_archive,
            max_length=config.max_length,
        )

    @classmethod
    def described(cls, address: Address, about: Mapping[str, Any], archive: str | None) -> Self:
        """The layout of a window with the description `about`; raises `WindowDamaged` if that is incomplete."""
        return cls.of(address, window_config(about), archive)

    def reads_alike(self, other: Layout) -> bool:
        """Whether `other` finds and reads documents of other clients in the same way. The longest text matters only
        where nodes sign, which they never do in an archive.
        """
        fields = (self.archive, self.text_field, self.time_field)
        has_limit = self.archive is None and self.max_length != other.max_length
        return fields == (other.archive, other.text_field, other.time_field) and not has_limit

    def check_indexed(self, settings: Settings) -> None:
        """Raises `SettingsError` if a setting needs the parts made from words, or the search for candidates needs
        q-grams, and the window does not have them.
        """
        for name in ("partial", "routes"):
            if getattr(settings, name) and not self.words:
                raise SettingsError(name, getattr(settings, name), _WORDS_NEEDED)
        if settings.candidates == "search" and settings.retrieval == "complete" and not self.lossless:
            raise SettingsError("retrieval", settings.retrieval, LOSSLESS_NEEDED)

    def too_long(self, text: str) -> str:
        """The reason why a document with this text, which is too long for nodes to sign, has no verdict."""
        return (
            f"text has {len(text):,} characters, and the nodes sign at most {self.max_length:,} (max_length of this "
            "window): `neardup setup --max-length` raises that"
        )

    @property
    def is_searched_by_plugin(self) -> bool:
        """Whether the plugin's query searches for sketches; the query also finds sketches that are terms."""
        return self.compact and not self.client_signs

    @property
    def target(self) -> str:
        """The name or pattern to search for every document of the window, including copies that are set aside."""
        return self.archive or self.address.pattern

    @property
    def searched(self) -> str:
        """The names or patterns to search for candidates: `target` without the copies that are set aside."""
        return self.archive or f"{self.address.pattern},-{self.address.copies_pattern}"

    def index_for(self, hour: int, *, copies: bool) -> str:
        """The index for a new document of an hour; `copies`: for one that is set aside."""
        if self.archive is not None:
            return self.archive
        return self.address.copies(hour) if copies else self.address.hourly(hour)

    def refs_for(self, documents: Sequence[Prepared], hour: int, aside: Sequence[bool]) -> list[DocumentRef]:
        """Where documents of one hour go, or lie already if another client wrote them; `aside`: which are set aside."""
        # All share one string: a string for each would take time to make, and memory while the document is held.
        names = {copies: self.index_for(hour, copies=copies) for copies in set(aside)}
        return [
            DocumentRef(names[copies], document.id)
            if document.origin is None
            else DocumentRef(document.origin.index, document.origin.id)
            for document, copies in zip(documents, aside, strict=True)
        ]

    def kept_at(self, ref: DocumentRef, hour: int, *, copies: bool) -> DocumentRef:
        """Where a document at `ref` belongs: elsewhere if it is to be set aside (`copies`) and is not yet, or the other
        way round; otherwise it stays.
        """
        if self.is_set_aside(ref.index) == copies or self.archive is not None:
            return ref
        return DocumentRef(self.index_for(hour, copies=copies), ref.id)

    def owns(self, index: str) -> bool:
        """Whether an index that `target` matches belongs to this window: the pattern of `news` also matches the hours
        of `news-sport`. All indices that an archive's name stands for belong to it.
        """
        return self.archive is not None or self.address.hour_of_index(index) is not None

    def is_set_aside(self, index: str) -> bool:
        """Whether an index holds copies that are set aside, and so are not searched."""
        hour = self.address.hour_of_index(index)
        return hour is not None and hour[1]

    # ---- the indices that exist in the cluster ----

    def existing_hours(self, cluster: Cluster, *, which: str = "all") -> dict[str, int]:
        """The existing hourly indices, those of copies too: the hour of each by its name; `which`: "all", or only those
        that are "closed" or "open,hidden". An archive has none.
        """
        if self.archive is not None:
            return {}
        names = self.existing_indices(cluster, which=which)
        return {name: known[0] for name in names if (known := self.address.hour_of_index(name)) is not None}

    def existing_indices(self, cluster: Cluster, *, which: str = "all") -> dict[str, str]:
        """The existing indices of the window: by name, the UUID that tells each from an earlier index of that name;
        `which` as in `existing_hours`.
        """
        settings = self._matched(cluster, which)
        return {name: each["settings"]["index.uuid"] for name, each in settings.items() if self.owns(name)}

    def without_others(self, cluster: Cluster, query: dict[str, Any]) -> dict[str, Any]:
        """`query` restricted to indices of the window, for counting: without other indices that `target` matches, such
        as a backup of it. One request; none for an archive.
        """
        if self.archive is not None:
            return query
        others = sorted(name for name in self._matched(cluster, "all") if not self.owns(name))
        if not others:
            return query
        return {"bool": {"filter": [query], "must_not": [{"terms": {"_index": others}}]}}

    def _matched(self, cluster: Cluster, which: str) -> dict[str, Any]:
        params = {**ALL_THAT_ARE_THERE, "expand_wildcards": which}
        return index_settings(cluster, self.target, "index.uuid", params=params)

    def tell_deleted(self, before: Mapping[str, str], now: Mapping[str, str], floor_hour: int) -> bool:
        """Whether an index of the window (of an archive, or of an hour from `floor_hour` on) was deleted, or deleted
        and made again, between two results of `existing_indices`; logs that it was.
        """
        lost = {name: self.address.hour_of_index(name) for name, _ in sorted(before.items() - now.items())}
        deleted = [name for name, hour in lost.items() if hour is None or hour[0] >= floor_hour]
        if deleted:
            log.warning(
                "%s: deleted, but not by neardup; its documents are no longer compared, and the window is read again",
                some_of(deleted),
            )  # fmt: skip
        return bool(deleted)

    def all_indices(self, cluster: Cluster) -> list[str]:
        """The existing hourly indices, or those that an archive stands for, sorted by name."""
        if self.archive is None:
            return sorted(self.existing_hours(cluster))
        return index_names(cluster, self.archive)

    def refresh(self, cluster: Cluster, floor_hour: int | None = None) -> None:
        """Makes everything written so far visible to searches. Raises `ClusterRejected` if an hour from `floor_hour` on
        (None: any) is closed: searches skip it, and its documents would seem not to exist.
        """
        try:
            refresh(cluster, self.target, {**NO_INDEX_NEEDED, "expand_wildcards": "all"})
        except ClusterRejected as error:
            if self.archive is not None or error.type != _CLOSED:
                raise
            if closed := self.closed_hours(cluster, floor_hour):
                what = f"a refresh of {', '.join(closed)}"
                raise ClusterRejected(
                    cluster.url, what, error.status, error.type, error.reason, error.remedy
                ) from None
            refresh(cluster, self.target, NO_INDEX_NEEDED)

    def closed_hours(self, cluster: Cluster, floor_hour: int | None) -> list[str]:
        """The hourly indices from `floor_hour` on (None: all) that are closed, so that searches skip them."""
        closed = self.existing_hours(cluster, which="closed")
        return sorted(name for name, hour in closed.items() if floor_hour is None or hour >= floor_hour)

    def check_made(self, cluster: Cluster, index: str, recipe: str) -> None:
        """Raises `WindowDamaged` for an hour that was made, or changed, so that its documents are not signed by this
        window's recipe, because the template or the pipeline was missing, or so that they are not indexed, and would
        not be found again. An hour that another client has deleted is no error.
        """
        about = own_index(cluster, index, fields=_SIGNED_BY)
        if not about:
            return
        mapping = about.get("mappings", {})
        signed_by = mapping.get("_meta", {}).get("neardup", {}).get("recipe")
        pipeline = about.get("settings", {}).get("index", {}).get("final_pipeline")
        is_signed = self.client_signs or pipeline == self.address.pipeline
        again = f"`neardup setup --window {self.address}`, and run again"
        if signed_by is None and is_signed and is_mapped(mapping):
            raise WindowDamaged(
                index, "no _meta.neardup", f"what {self.address.template} makes",
                remedy=f"a write of _meta to a mapping replaces all of it; {again}",
            )  # fmt: skip
        if signed_by != recipe:
            raise WindowDamaged(
                index, f"an index signed by {signed_by}", f"one that was made by {self.address.template}",
                remedy="delete it (documents written since it was made or changed so do not count; `neardup ingest "
                f"--from-index {index}` copies them into another window), {again}",
            )  # fmt: skip
        if str(mapping.get("enabled")).lower() == "false":
            raise WindowDamaged(
                index, "a mapping that indexes nothing (enabled: false)", f"what {self.address.template} makes",
                remedy=f"remove that from {self.address.custom}, delete this index, {again}",
            )  # fmt: skip
        if not is_signed:
            raise WindowDamaged(index, f"the final pipeline {pipeline}", self.address.pipeline, remedy=again)

    def check_takes_new(self, cluster: Cluster) -> None:
        """Raises `SettingsError` if the archive, to which new documents would go, stands for other indices: only the
        client that writes to these knows which of them takes a document.
        """
        others = [name for name in self.all_indices(cluster) if name != self.archive]
        if others:
            expected = (
                f"a window that takes documents: this one scores {self.archive} in place, which stands for "
                f"{some_of(others)}; write to these by another client, for `neardup watch`"
            )
            raise SettingsError("window", str(self.address), expected)

    def other_field(self, what: str) -> str:
        """How the documents that are there get the `what` ("text", "time") of another field than the window's."""
        if self.archive is None:
            set_up = f"`neardup setup --{what}-field NAME --window {self.address}`"
            way = f"stop the writers, delete the hours, then {set_up}, or use another prefix"
            return f"if another field has the {what}: {way}"
        way = f"`neardup remove --window {self.address} --force` takes this window and its marks away"
        return f"if another field has the {what}: {way}, then score {self.archive} again with --{what}-field"

    def delete_hour(self, cluster: Cluster, hour: int, *, tells: bool = False) -> None:
        """Deletes the indices of an hour; warns of documents in them whose own time is later, and if it `tells` logs
        how many documents were in each.
        """
        later = {"range": {self.time_field: {"gte": (hour + 1) * HOUR_MS, "format": "epoch_millis"}}}
        for name, own in self.existing_hours(cluster).items():
            if own == hour:
                going = count_once(cluster, name, later)
                documents = count_once(cluster, name, {"match_all": {}}) if tells else 0
                delete_index(cluster, name)
                if documents != 0:
                    size = "number unknown" if documents is None else f"{documents:,}"
                    log.warning("%s has left the window, and was deleted with its documents (%s)", name, size)
                if going:
                    log.warning(
                        "%s was deleted, and with it documents of later hours (%d): write to the hour of a document's "
                        "own time, or run `neardup rollover` every hour", name, going,
                    )  # fmt: skip


def lost_indices(cluster: Cluster, target: str, needed: Mapping[str, int], what: str) -> set[str]:
    """Those of the `needed` indices that another client has deleted. Logs of each `what` follows, with the number that
    `needed` has for it. `target` stands for all indices of the window. One request; none if none is needed.
    """
    if not needed:
        return set()
    lost = needed.keys() - index_settings(cluster, target, "index.uuid", params=ALL_THAT_ARE_THERE).keys()
    for index in sorted(lost):
        log.warning("%s: deleted, but not by neardup; %s", index, what.format(needed[index]))
    return lost


class ElasticContext(NamedTuple):
    """The parts that work on an open window in a cluster shares: the connection, the names of indices and fields, this
    scorer's lease, the signer of the window's recipe, and the settings of this opening.
    """

    cluster: Cluster
    layout: Layout
    lease: Lease[StateDocument]
    signer: Signer
    settings: Settings
