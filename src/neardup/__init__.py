"""neardup: exact near-duplicate detection over a rolling window, in a stream and in an archive.

>>> import neardup
>>> round(neardup.doc_q("A rose is a flower", "A rose is a red flower"), 2)
0.57
>>> with neardup.open(None, threshold=0.5) as window:
...     stream = [{"id": "a", "text": "A rose is a flower"}, {"id": "b", "text": "A rose is a red flower"}]
...     [(verdict.id, verdict.status, verdict.duplicate_of) for verdict in window.ingest(stream)]
[('a', 'unique', None), ('b', 'near', 'a')]

The names below are the whole public API. Each is loaded when it is first used, so that `import neardup` costs nothing:
numpy and the compiled kernels are loaded with the first window or signature. The imports serve type checkers, `_HOMES`
serves Python; a test compares them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from neardup.version import VERSION as __version__  # noqa: N811 - the name that Python tools expect

if TYPE_CHECKING:
    from neardup import errors as errors
    from neardup import kinds as kinds
    from neardup.cleaning.dedup import dedup as dedup
    from neardup.cleaning.result import Deduped as Deduped
    from neardup.elastic.http.address import Credentials as Credentials
    from neardup.errors import NeardupError as NeardupError
    from neardup.model.document import FLUSH as FLUSH
    from neardup.model.document import Document as Document
    from neardup.model.document import Flush as Flush
    from neardup.model.document import Reject as Reject
    from neardup.model.settings import Recipe as Recipe
    from neardup.model.settings import Settings as Settings
    from neardup.model.verdict import Group as Group
    from neardup.model.verdict import Match as Match
    from neardup.model.verdict import Member as Member
    from neardup.model.verdict import PartialMatch as PartialMatch
    from neardup.model.verdict import Verdict as Verdict
    from neardup.opening import open_window
    from neardup.reading.explanation import Explanation as Explanation
    from neardup.reading.explanation import explain as explain
    from neardup.signing.doc_q import doc_q as doc_q
    from neardup.signing.signature import Signature as Signature
    from neardup.signing.signer import sign as sign
    from neardup.tables.lexicon import Lexicon as Lexicon
    from neardup.window.base import ReadDocument as ReadDocument
    from neardup.window.base import Stats as Stats
    from neardup.window.base import Window as Window

    open = open_window  # `neardup.open`, as `gzip.open`

_HOMES = {
    "FLUSH": "model.document.FLUSH",
    "Credentials": "elastic.http.address.Credentials",
    "Deduped": "cleaning.result.Deduped",
    "Document": "model.document.Document",
    "Explanation": "reading.explanation.Explanation",
    "Flush": "model.document.Flush",
    "Group": "model.verdict.Group",
    "Lexicon": "tables.lexicon.Lexicon",
    "Match": "model.verdict.Match",
    "Member": "model.verdict.Member",
    "NeardupError": "errors.NeardupError",
    "PartialMatch": "model.verdict.PartialMatch",
    "ReadDocument": "window.base.ReadDocument",
    "Recipe": "model.settings.Recipe",
    "Reject": "model.document.Reject",
    "Settings": "model.settings.Settings",
    "Signature": "signing.signature.Signature",
    "Stats": "window.base.Stats",
    "Verdict": "model.verdict.Verdict",
    "Window": "window.base.Window",
    "dedup": "cleaning.dedup.dedup",
    "doc_q": "signing.doc_q.doc_q",
    "errors": "errors",
    "explain": "reading.explanation.explain",
    "kinds": "kinds",
    "open": "opening.open_window",
    "sign": "signing.signer.sign",
}
"""Where each public name is defined; two are modules."""

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - they are strings


if not TYPE_CHECKING:  # type checkers would accept any name, of any type

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'neardup' has no attribute {name!r}")
        module, _, attribute = _HOMES[name].rpartition(".")
        home = import_module(f"neardup.{module or attribute}")
        value = globals()[name] = getattr(home, attribute) if module else home
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
