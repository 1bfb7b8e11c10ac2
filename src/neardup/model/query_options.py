"""QueryOptions: the parameters of a query, checked once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from neardup.errors import DocumentError, SettingsError
from neardup.model.document import plain_id
from neardup.model.settings import OR_ALL, PartialRule, check_whole, exact_threshold
from neardup.model.times import time_argument

if TYPE_CHECKING:
    from neardup.model.settings import Settings


@dataclass(frozen=True)
class QueryOptions:
    """A query for the copies of `text`, or of the stored document `id`: one of the two is None.

    threshold     doc_q that a match has at least
    matches       how many matches and parts are listed; None = all
    time          in milliseconds: only the hours around it are compared with; None = all that live
    rule          when a document below the threshold is a partial copy; None: partial copies are not looked for
    verify_all    compares with every document instead of searching for candidates
    """

    text: str | None
    id: str | None
    threshold: Fraction
    matches: int | None
    time: int | None
    rule: PartialRule | None
    verify_all: bool = False

    @classmethod
    def checked(
        cls,
        settings: Settings,
        text: str | None,
        id: str | int | None,
        threshold: Any,
        matches: int | None,
        time: Any,
        partial: bool | None,
        containment: Any,
        delta: int | None,
    ) -> QueryOptions:
        """The options that the arguments of `Window.query` stand for, in a window that was opened with `settings`.

        Raises `SettingsError` for an argument out of range or a combination that makes no query, `TypeError` for a text
        that is no string.
        """
        rule = partial_rule_for_query(settings, partial, containment, delta)
        if (text is None) == (id is None):
            raise SettingsError("query", (text, id), "either a text or an id")
        if not isinstance(text, str | None):
            raise TypeError(f"text is {type(text).__name__}, not a text (str)")
        if matches is not None:
            matches = check_whole("matches", matches, 0, None, OR_ALL)
        exact = settings.threshold_fraction if threshold is None else exact_threshold(threshold)
        return cls(
            text, known_id(id), exact, matches, None if time is None else time_argument("time", time), rule
        )


def known_id(id: Any) -> Any:
    """`id` in the form in which the window knows it: a number becomes its digits. A value that is no id stays as it is;
    raises `TypeError` if it is not hashable (a list of ids).
    """
    try:
        return plain_id(id)
    except DocumentError:
        if isinstance(id, Hashable):
            return id
        raise TypeError(
            f"id is {type(id).__name__}, not a text (str) or a number: pass one id at a time"
        ) from None


def partial_rule_for_query(
    settings: Settings, partial: bool | None, containment: Any, delta: int | None
) -> PartialRule | None:
    """The rule for partial copies of a query; an argument that is None is taken from `settings`. None if partial copies
    are not looked for; raises `SettingsError` for `containment` or `delta` then, which have no effect, unless `partial`
    is False on purpose.
    """
    arguments = {"partial": partial, "containment": containment, "delta": delta}
    given = {name: value for name, value in arguments.items() if value is not None}
    rule = settings.with_changes(**given).partial_rule
    idle = [*given] if rule is None and partial is None else []
    if idle:
        expected = "given only if partial copies are looked for: partial=True, also when the window is opened"
        raise SettingsError(idle[0], given[idle[0]], expected)
    return rule


def check_source(source: Any, *, is_text: bool) -> None:
    """Raises `SettingsError` if `source` is no name, or if it is given in a query that is not of a text."""
    if source is not None and not is_text:
        raise SettingsError("source", source, "given only with a text: a stored document has its own source")
    if not isinstance(source, str | int | None):
        raise SettingsError("source", source, "the name of a source (a text)")
