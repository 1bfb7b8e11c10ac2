"""The exceptions of neardup: one base, one tree.

    NeardupError
    ├── SettingsError       a setting has a value that cannot be used         (also a ValueError)
    │   ├── ConfigError      the same for a key of neardup.toml, or an environment variable
    │   ├── NotAvailable     a library that a command needs is not installed, or an address is taken
    │   ├── OutputRefused    a file that a command should write is one that it reads, or is not empty
    │   ├── EmptySample      there was no text to make a lexicon from        (signing/lexicon_sample.py)
    │   ├── NoAnswers        no answer is about a pair that was found        (cli/calibrating.py)
    │   └── EvaluationError  a corpus or judged pairs cannot be used           (evaluation/errors.py)
    ├── DocumentError       a document cannot be read or signed               (also a ValueError)
    ├── UnknownDocument     the window holds no document of that id           (also a KeyError)
    │   └── UnknownGroup     no group of that head                            (serving/questions.py)
    ├── RecipeMismatch      signatures of two recipes would have been compared
    ├── KernelsUnusable     the compiled part of neardup is missing, or not for this machine   (also an ImportError)
    ├── DataFileError       a file shipped with the package is damaged or foreign
    │   ├── LexiconError     the same for a lexicon
    │   └── BoilerplateError  the same for a table of boilerplate
    ├── WindowError         the window on disk cannot be used
    │   ├── WindowMissing    there is none where one was to be opened
    │   ├── WindowLocked     another process writes to it
    │   │   ├── LeaseLost     another scorer of a cluster's window took over while this one stood still
    │   │   ├── WindowResigning  a window is being signed again, or has been since it was opened
    │   │   └── RemovalBegun  the removal of a window was interrupted     (elastic/window/state_document.py)
    │   ├── WindowExpired    the writer has dropped an hour that a reader still asks for
    │   ├── WindowDamaged    its files do not hold what they should
    │   └── WindowOutdated   it was written by an earlier version of neardup
    ├── ClusterError        Elasticsearch cannot be used, or not in this way
    │   ├── ClusterUnreachable  it did not answer, or was busy, for as long as we were willing to wait
    │   ├── ClusterRefused   it does not let this user in, or does not allow this (401, 403)
    │   ├── ClusterRejected  it answered with another error
    │   │   └── ClusterConflict  what was to be written has changed meanwhile, or is there already (409)
    │   ├── NotSetUp         there is no window at this address yet
    │   │   └── NothingToRemove  the same, where one was to be removed   (elastic/watch/window_removal.py)
    │   └── SetupRefused     what is there and what is to be set up exclude each other
    ├── MethodFailed        a method that was to be measured ended without a result   (evaluation/errors.py)
    └── OutputClosed        standard output is closed, and something was to be printed

Every exception carries its facts as attributes (`path`, `found`, ...), which are also its arguments, so that it can be
pickled. Pure functions raise `ValueError`. A bad document in a stream is a result (`Reject`), not an exception.
"""

from __future__ import annotations

from os import PathLike, getpid

__all__ = [
    "BoilerplateError",
    "ClusterConflict",
    "ClusterError",
    "ClusterRefused",
    "ClusterRejected",
    "ClusterUnreachable",
    "ConfigError",
    "DataFileError",
    "DocumentError",
    "KernelsUnusable",
    "LeaseLost",
    "LexiconError",
    "NeardupError",
    "NotAvailable",
    "NotSetUp",
    "OutputClosed",
    "OutputRefused",
    "RecipeMismatch",
    "SettingsError",
    "SetupRefused",
    "UnknownDocument",
    "WindowDamaged",
    "WindowError",
    "WindowExpired",
    "WindowLocked",
    "WindowMissing",
    "WindowOutdated",
    "WindowResigning",
]


def shown(value: object) -> str:
    """`value` for a message, cut if it is long. Python refuses to print a number of thousands of digits."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"a number of {value.bit_length()} bits"
    try:
        return (text := repr(value))[:1_000] + "…" * (len(text) > 1_000)
    except Exception:  # noqa: BLE001 - a foreign value may raise anything
        return f"a {type(value).__name__} that cannot be shown as text"


class NeardupError(Exception):
    """The base of every exception that neardup raises on purpose, except `TypeError` and `AttributeError`."""


class KernelsUnusable(NeardupError, ImportError):
    """The library of compiled kernels cannot be used, for `reason`, which says what to do."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SettingsError(NeardupError, ValueError):
    """The setting `name` has the value `value`, which is not `expected`."""

    def __init__(self, name: str, value: object, expected: str) -> None:
        super().__init__(name, value, expected)
        self.name, self.value, self.expected = name, value, expected

    def __str__(self) -> str:
        return f"setting {self.name} is {shown(self.value)}: it must be {self.expected}"


class NotAvailable(SettingsError):
    """This machine lacks what `name` needs: `value` says what is missing or taken, `expected` is the remedy."""

    def __str__(self) -> str:
        return f"{self.name}: {self.value}: {self.expected}"


class ConfigError(SettingsError):
    """`name` in the file or the environment is not a setting, or cannot have this `value`; `expected` is the remedy."""

    def __str__(self) -> str:
        return f"{self.name}: {self.expected}"


class OutputRefused(SettingsError):
    """The file `path`, named by `option`, is not written to, for `reason`."""

    def __init__(self, option: str, path: str | PathLike[str], reason: str) -> None:
        super().__init__(option, path, reason)
        self.option, self.path, self.reason = option, path, reason

    def __str__(self) -> str:
        return " ".join(filter(None, (self.option, str(self.path), self.reason)))


class DocumentError(NeardupError, ValueError):
    """The document `id` (None where it has none) cannot be used, for `reason`."""

    def __init__(self, id: str | None, reason: str) -> None:
        super().__init__(id, reason)
        self.id, self.reason = id, reason

    def __str__(self) -> str:
        name = "a document without id" if self.id is None else f"document {shown(self.id)}"
        return f"{name} cannot be used: {self.reason}"


class UnknownDocument(NeardupError, KeyError):
    """The window holds no document of this `id`."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.id = id

    # KeyError prints only the repr of its argument.
    def __str__(self) -> str:
        return f"no document {shown(self.id)} in this window: it is not stored, has expired or has no verdict"


class RecipeMismatch(NeardupError):
    """The data at `where` was signed by the recipe `found`; this process signs by `expected`. `window`: the directory
    or address of a window that can be signed again.
    """

    def __init__(
        self, where: str, found: str, expected: str, window: str | PathLike[str] | None = None
    ) -> None:
        super().__init__(where, found, expected, window)
        self.where, self.found, self.expected, self.window = where, found, expected, window

    def __str__(self) -> str:
        old, new = self.found.split(":"), self.expected.split(":")
        can_be_read = old[0] == new[0]
        remedy = f"ingest its documents{' (`neardup export`)' if can_be_read else ''} into a new window"
        # q, case and what is left out cannot change: texts are stored as normal forms, and scored by them.
        left_out = {each.partition(":strip-")[2].partition(":")[0] for each in (self.found, self.expected)}
        if self.window is not None and old[1:3] == new[1:3] and len(left_out) == 1:
            remedy = f"sign it again (`neardup resign --window {self.window}`, same options), or {remedy}"
        if can_be_read:
            options = "without --q, --fold-case, --reach, --lexicon, --salt, --boilerplate or [recipe] in neardup.toml"
            remedy = f"open it with the settings it was signed with ({options}), or {remedy}"
        signed = f"{self.where} was signed by recipe {self.found}"
        return f"{signed}, this process signs by {self.expected}: {remedy}"


class DataFileError(NeardupError):
    """The file `path` holds `found` where `expected` should be."""

    remedy = "install neardup again"

    def __init__(self, path: str | PathLike[str], found: str, expected: str) -> None:
        super().__init__(path, found, expected)
        self.path, self.found, self.expected = path, found, expected

    def __str__(self) -> str:
        return f"{self.path}: found {self.found}, expected {self.expected}: {self.remedy}"


class LexiconError(DataFileError):
    """A lexicon file is damaged, or is no lexicon of this version."""

    remedy = "build the lexicon again, or use the default one"


class BoilerplateError(DataFileError):
    """A table of boilerplate is damaged, or is not one of this version."""

    remedy = "learn it again by `neardup boilerplate learn`"


class WindowError(NeardupError):
    """The base of all errors of a window on disk."""


class WindowMissing(WindowError):
    """There is no window in the directory `path`; it `holds` these other files, if any."""

    def __init__(self, path: str | PathLike[str], holds: str = "") -> None:
        super().__init__(path, holds)
        self.path, self.holds = path, holds

    def __str__(self) -> str:
        files, new = (f", but other files ({self.holds})", "/news.window") if self.holds else ("", "")
        return f"{self.path}: there is no window here{files}; `neardup ingest FILE --window {self.path}{new}` makes one"


class WindowLocked(WindowError):
    """Another process (`holder`, as far as it is known) writes to the window at `path`."""

    def __init__(self, path: str | PathLike[str], holder: str | None = None) -> None:
        super().__init__(path, holder)
        self.path, self.holder = path, holder

    def __str__(self) -> str:
        if self.holder == f"process {getpid()}":  # every container numbers its processes anew
            holder = f"in this process already, or by {self.holder} of another container: close it there"
            return f"{self.path} is open for writing {holder}, or open it with readonly=True"
        holder = "" if self.holder is None else f" ({self.holder})"
        way = "wait for it, or end it (it can be queried meanwhile)"
        return f"{self.path} is being written by another process{holder}: {way}"


class LeaseLost(WindowLocked):
    """A scorer of the window at `path` did not renew its lease in time, and another one (`holder`) took over."""

    def __str__(self) -> str:
        return (
            f"{self.path} was taken over by another scorer ({self.holder or 'which has ended'}) because this one did "
            "not renew its lease in time: run it again; results that it had not reported do not count"
        )


class WindowResigning(WindowLocked):
    """The window at `path` is being signed again by `recipe`, or has been (`done`) since it was opened."""

    def __init__(self, path: str | PathLike[str], recipe: str, *, done: bool = False) -> None:
        super().__init__(path)
        self.args = (path, recipe)
        self.recipe, self.done = recipe, done

    def __str__(self) -> str:
        if self.done:
            return f"{self.path} was signed again by recipe {self.recipe}: open it again (a server must be restarted)"
        return (
            f"{self.path} is being signed again by recipe {self.recipe}: wait until `neardup resign` is done; if it "
            f"was interrupted, `neardup resign --window {self.path} --force` continues it"
        )


class WindowExpired(WindowError):
    """A reader asked for the hour `hour` of the window at `path`, which the writer has dropped meanwhile."""

    def __init__(self, path: str | PathLike[str], hour: str) -> None:
        super().__init__(path, hour)
        self.path, self.hour = path, hour

    def __str__(self) -> str:
        return f"hour {self.hour} of {self.path} has expired since the window was opened for reading: open it again"


class WindowDamaged(WindowError):
    """The window file `path` holds `found` where `expected` should be; `window` is a directory that can be repaired,
    `remedy` what else can be done.
    """

    def __init__(
        self, path: str | PathLike[str], found: str, expected: str, window: str | PathLike[str] | None = None,
        remedy: str = "",
    ) -> None:  # fmt: skip
        super().__init__(path, found, expected, window, remedy)
        self.path, self.found, self.expected = path, found, expected
        self.window, self.remedy = window, remedy

    def __str__(self) -> str:
        remedy = self.remedy
        if self.window:
            repair = f"`neardup doctor --repair --window {self.window}`"
            remedy = f"{repair} shows what can be recovered, and recovers it with --force"
        damaged = f"{self.path} is damaged: found {self.found}, expected {self.expected}"
        return f"{damaged}; {remedy}" if remedy else damaged


class WindowOutdated(WindowError):
    """The window in the directory `path` has the format `format` of an earlier version, which is no longer read."""

    def __init__(self, path: str | PathLike[str], format: object) -> None:
        super().__init__(path, format)
        self.path, self.format = path, format

    def __str__(self) -> str:
        remedy = f"`neardup resign --window {self.path}` converts it to the current format"
        return f"{self.path} has format {self.format} of an earlier version of neardup: {remedy}"


class ClusterError(NeardupError):
    """The base of all errors between neardup and Elasticsearch."""


class ClusterUnreachable(ClusterError):
    """The cluster at `url` did not answer, or only answered that it is busy, for as long as requests were repeated."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(url, reason)
        self.url, self.reason = url, reason

    def __str__(self) -> str:
        return f"Elasticsearch at {self.url} cannot be used: {self.reason}"


class ClusterRefused(ClusterError):
    """The cluster at `url` answered 401 (`action` is None) or 403 to `action` on `index` (None: on the cluster).

    `role` names the role of neardup that allows it; None for an index that is not the window's, which no role covers.
    """

    def __init__(self, url: str, action: str | None, index: str | None, role: str | None) -> None:
        super().__init__(url, action, index, role)
        self.url, self.action, self.index, self.role = url, action, index, role

    def __str__(self) -> str:
        if self.action is None:
            given = "set NEARDUP_API_KEY, or NEARDUP_USERNAME and NEARDUP_PASSWORD"
            return f"Elasticsearch at {self.url} rejects the credentials, or requires some: {given}"
        where = "" if self.index is None else f" on {self.index}"
        known = f"the role {self.role} of neardup allows it"
        remedy = "no role of neardup covers that index, so grant it there" if self.role is None else known
        return f"Elasticsearch at {self.url} refuses {self.action}{where} to this user: {remedy} (docs/security.md)"


class ClusterRejected(ClusterError):
    """The cluster at `url` answered `request` with `status` and an error of `type`, for `reason`; `remedy` is the next
    step, where that is known.
    """

    def __init__(
        self, url: str, request: str, status: int, type: str, reason: str, remedy: str | None = None
    ) -> None:
        super().__init__(url, request, status, type, reason, remedy)
        self.url, self.request, self.status, self.type, self.reason = url, request, status, type, reason
        self.remedy = remedy

    def __str__(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        answered = f"answered {self.request} with {self.status} {self.type}: {self.reason}"
        return f"Elasticsearch at {self.url} {answered}{remedy}"


class ClusterConflict(ClusterRejected):
    """`ClusterRejected` with status 409: another writer was first, or the object to be created exists already."""


class NotSetUp(ClusterError):
    """Nobody has set up a window at `address`."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address

    def __str__(self) -> str:
        archive = "for an index scored in place, `neardup ingest --from-index INDEX --in-place` does"
        return f"{self.address}: no window is set up here; `neardup setup --window {self.address}` does it; {archive}"


class SetupRefused(ClusterError):
    """A window cannot be set up: `found` is in the way; `remedy` is the next step. Nothing has been changed."""

    def __init__(self, where: str, found: str, remedy: str) -> None:
        super().__init__(where, found, remedy)
        self.where, self.found, self.remedy = where, found, remedy

    def __str__(self) -> str:
        return f"{self.where} cannot be set up: {self.found}; {self.remedy}"


class OutputClosed(NeardupError):
    """Standard output was closed by the caller of the command, and something was to be printed."""

    def __str__(self) -> str:
        return "standard output is closed, so nothing can be printed: redirect it to a file or to /dev/null"
