"""The settings by which the verdicts of a window were made: the present ones, and earlier ones of some verdicts.

A window remembers its settings as a plain dict, `Settings.remembered`, in window.json or in the state document of a
cluster. If it also has verdicts by other settings, the dict has `earlier`: the other values of each setting, or
`unknown` if those were lost with the state document of a cluster.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from neardup.model.settings import REMEMBERED, REMEMBERED_IF_GIVEN, Settings, exact_threshold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

log = logging.getLogger("neardup")

EARLIER: Final = "earlier"
UNKNOWN: Final = "unknown"
"""The only earlier value of a setting of which nobody knows by what values the verdicts were made."""
DECIDING: Final = ("threshold", "retrieval", "policy", "partial")
"""The settings that a verdict depends on, and that may change from one writer to the next."""
_DEFAULTS: Final = {name: getattr(Settings(), name) for name in REMEMBERED_IF_GIVEN} | Settings().remembered


def earlier(known: Mapping[str, Any]) -> dict[str, list[str]]:
    """For each setting, the earlier values by which some verdicts were made."""
    return {name: list(values) for name, values in known.get(EARLIER, {}).items()}


def merged(known: Mapping[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The settings to remember when verdicts by the settings `new` are added to a window that remembers `known`.

    >>> sorted(merged({"threshold": "0.7"}, {"threshold": "0.99"}).items())
    [('earlier', {'threshold': ['0.7']}), ('threshold', '0.99')]
    """
    left = earlier(known)
    for name in DECIDING:
        if UNKNOWN in left.get(name, ()):
            continue
        values = [value for value in left.pop(name, []) if not _same(name, value, _deciding(new, name))]
        if name in _changes(known, new):
            values.append(_shown(_deciding(known, name)))
        if values:
            left[name] = sorted(set(values))
    return new | ({EARLIER: left} if left else {})


def with_unknown(new: Mapping[str, Any]) -> dict[str, Any]:
    """The settings to remember when stored verdicts were made by settings that are not known, and later ones will be
    made by the settings `new`.
    """
    return {**new, EARLIER: {name: [UNKNOWN] for name in DECIDING}}


def tell_unknown(window: str, new: Mapping[str, Any]) -> None:
    """Logs that the settings by which the verdicts of the `window` were made are not known, and the `new` ones."""
    log.warning(
        "%s: the settings by which its verdicts were made are not known; from now on it has %s; give `neardup ingest` "
        "or `watch` those that were others (--route and --kinds, too); `neardup reconcile --threshold T` brings all "
        "verdicts to one threshold",
        window, _in_words(new, DECIDING, _deciding),
    )  # fmt: skip


def without_earlier(new: dict[str, Any]) -> dict[str, Any]:
    """The settings to remember when all verdicts of a window have been made by the settings `new`."""
    return {name: value for name, value in new.items() if name != EARLIER}


def warn_of_changes(known: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Logs the settings by which documents are decided from now on, if stored ones were decided by others."""
    changes = _changes(known, new)
    if not changes:
        return
    option = f" --threshold {new['threshold']}" if "threshold" in changes else ""
    log.warning(
        "this window was written with %s, and now is with %s: stored verdicts stay as they are; `neardup reconcile%s` "
        "applies the new settings to them",
        _in_words(known, changes, _deciding), _in_words(new, changes, _deciding), option,
    )  # fmt: skip


def warn_of_others(window: str, left: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """Logs how the settings that another process `left` in the `window` differ from this process's `own`, which the
    next commit stores there.
    """
    if theirs := differing(left, own):
        log.warning(
            "%s: another process has set %s for this window; this one continues with %s, and sets that again: give all "
            "scorers of the window the same settings",
            window, theirs, differing(own, left),
        )  # fmt: skip


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Those of the remembered settings `one` that differ from `other`, in words; empty if none does.

    >>> differing({"threshold": "0.9", "window_hours": 24}, {"threshold": "0.7", "keep_hours": 24})
    'threshold 0.9'
    """
    values, others = ({"keep_hours": _value(each, "window_hours")} | dict(each) for each in (one, other))
    names = (*REMEMBERED, *REMEMBERED_IF_GIVEN)
    return _in_words(
        values,
        [name for name in names if not _same(name, _value(values, name), _value(others, name))],
        _value,
    )


def is_of_all(known: Mapping[str, Any], own: Mapping[str, Any]) -> bool:
    """Whether all verdicts of a window that remembers `known` were made by these settings, and would not be by `own`:
    as a rule a reconcile has made them.
    """
    return EARLIER not in known and bool(_changes(known, own))


def _changes(known: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [name for name in DECIDING if not _same(name, _deciding(known, name), _deciding(new, name))]


def _in_words(
    values: Mapping[str, Any], names: Sequence[str], value: Callable[[Mapping[str, Any], str], Any]
) -> str:
    return ", ".join(f"{name} {_shown(value(values, name))}" for name in names)


def _deciding(values: Mapping[str, Any], name: str) -> Any:
    """The value of a deciding setting; for `partial` with containment and delta, unless these are the defaults."""
    value = _value(values, name)
    if name != "partial" or not value:
        return value
    rules = (_value(values, "containment"), _value(values, "delta"))
    containment, delta = exact_threshold(rules[0], "containment"), rules[1]
    if (containment, delta) == (exact_threshold(_DEFAULTS["containment"]), _DEFAULTS["delta"]):
        return value
    return f"yes (containment {float(containment)}, delta {delta})"


def _value(values: Mapping[str, Any], name: str) -> Any:
    return values.get(name, _DEFAULTS[name])


def _same(name: str, one: Any, other: Any) -> bool:
    if name == "threshold":
        return exact_threshold(one) == exact_threshold(other)
    return _shown(one) == _shown(other)


def _shown(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)
