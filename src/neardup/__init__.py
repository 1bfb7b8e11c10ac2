"""neardup: exact near-duplicate detection over a rolling window, in a stream and in an archive.

>>> import neardup
>>> round(neardup.doc_q("A rose is a flower", "A rose is a red flower"), 2)
0.57
>>> with neardup.open(None, threshold=0.5) as window:
...     stream = [{"id": "a", "text": "A rose is a flower"}, {"id": "b", "text": "A rose is a red flower"}]
...     [(verdict.id, verdict.status, verdict.duplicate_of) for verdict in window.ingest(stream)]
[('a', 'unique', None), ('b', 'near', 'a')]

The names below are all that is public. They are loaded when first used, so that `import neardup` costs
nothing: numpy and the compiled kernels come with the first window or signature.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from neardup.version import VERSION as __version__  # noqa: N811 - the name that Python tools expect

if TYPE_CHECKING:
    from neardup.errors import NeardupError
    from neardup.model.document import FLUSH, Document, Reject
    from neardup.model.settings import Recipe, Settings
    from neardup.model.verdict import Group, Match, Member, PartialMatch, Verdict
    from neardup.opening import open_window as open  # noqa: A004 - `neardup.open`, as `gzip.open`
    from neardup.signing.doc_q import doc_q
    from neardup.signing.signature import Signature
    from neardup.signing.signer import sign
    from neardup.tables.lexicon import Lexicon
    from neardup.window.base import Stats, Window

_HOMES = {
    "FLUSH": "model.document",
    "Document": "model.document",
    "Group": "model.verdict",
    "Lexicon": "tables.lexicon",
    "Match": "model.verdict",
    "Member": "model.verdict",
    "NeardupError": "errors",
    "PartialMatch": "model.verdict",
    "Recipe": "model.settings",
    "Reject": "model.document",
    "Settings": "model.settings",
    "Signature": "signing.signature",
    "Stats": "window.base",
    "Verdict": "model.verdict",
    "Window": "window.base",
    "doc_q": "signing.doc_q",
    "sign": "signing.signer",
}

__all__ = [
    "FLUSH",
    "Document",
    "Group",
    "Lexicon",
    "Match",
    "Member",
    "NeardupError",
    "PartialMatch",
    "Recipe",
    "Reject",
    "Settings",
    "Signature",
    "Stats",
    "Verdict",
    "Window",
    "__version__",
    "doc_q",
    "open",
    "sign",
]


def __getattr__(name: str) -> Any:
    if name == "open":
        return import_module("neardup.opening").open_window
    if name in _HOMES:
        return getattr(import_module(f"neardup.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'neardup' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
