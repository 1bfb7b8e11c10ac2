"""The errors of an evaluation: input that cannot be used, and a method that fails."""

from __future__ import annotations

from neardup.errors import NeardupError, SettingsError


class EvaluationError(SettingsError):
    """The input `name` (a file or an option) cannot be used; `expected` says what is wrong and what to do."""

    def __init__(self, name: str, expected: str, value: object = None) -> None:
        super().__init__(name, value, expected)
        self.args = (name, expected, value)  # the arguments with which pickle calls this class

    def __str__(self) -> str:
        return f"{self.name}: {self.expected}"


class MethodFailed(NeardupError):
    """The process that measured `method` ended without a result, for `reason`; the other methods went on."""

    def __init__(self, method: str, reason: str) -> None:
        super().__init__(method, reason)
        self.method, self.reason = method, reason

    def __str__(self) -> str:
        return f"method {self.method} failed: {self.reason}"
