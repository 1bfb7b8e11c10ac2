"""Decides from the fields of stored documents which of them a batch depends on, without another search."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from neardup.elastic.http.unexpected import UNREADABLE
from neardup.elastic.window.codec import OBJECT
from neardup.elastic.window.compact import sketch_keys
from neardup.index.query_batch import posted

if TYPE_CHECKING:
    from neardup.elastic.http.api import Hit
    from neardup.elastic.window.index_layout import Layout
    from neardup.signing.signature import SignedBatch


class Likeness:
    """Recognises documents that matter to a `signed` batch: those that share `least[i]` sketch keys with document i (0:
    any document may be its copy), have the same text, or have one of the `ids`.
    """

    def __init__(
        self, signed: SignedBatch, layout: Layout, least: Sequence[int], ids: Collection[str]
    ) -> None:
        self._least, self._ids = least, ids
        self._holders: defaultdict[int, list[int]] = defaultdict(list)
        starts = signed.sketch_offsets.tolist()
        for i, (first, last) in enumerate(pairwise(starts)):
            keys = signed.sketches[first:last]
            for key in (posted(keys) if layout.compact else keys).tolist():
                self._holders[key].append(i)
        self._fingerprints = {signed.fingerprint(i) for i in range(len(least))}
        self._is_open = 0 in least

    def concerns(self, hit: Hit) -> bool:
        """Whether the verdict on a document of the batch can depend on `hit`. True also for a hit that cannot be read:
        restoring it later reports what is wrong with it.
        """
        ours = hit.source[OBJECT]
        try:
            if self._is_open or ours["fingerprint"] in self._fingerprints or ours["identity"] in self._ids:
                return True
            shared = Counter(i for key in sketch_keys(ours).tolist() for i in self._holders.get(key, ()))
        except UNREADABLE:
            return True
        return any(count >= self._least[i] for i, count in shared.items())
