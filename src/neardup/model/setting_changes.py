"""The settings as keyword arguments of `neardup.open`, for type checkers; a test compares them with `Settings`."""

from __future__ import annotations

from typing import TypedDict

# Not only for type checkers: `typing.get_type_hints` reads the names here.
from neardup.model.settings import CandidatesFrom, Policy, Recipe, Retrieval, Threshold  # noqa: TC001


class SettingChanges(TypedDict, total=False):
    """Settings that differ from the given or remembered ones: any fields of `Settings`, by their names."""

    threshold: Threshold
    retrieval: Retrieval
    policy: Policy
    matches: int | None
    window_hours: int
    keep_hours: int | None
    ahead_hours: int
    advance: bool
    routes: tuple[str, ...] | list[str]
    max_documents: int
    max_memory: int
    max_length: int
    max_candidates: int
    batch_documents: int | None
    threads: int
    candidates: CandidatesFrom
    fsync: bool
    min_shared: int | None
    recipe: Recipe | None
    partial: bool
    containment: Threshold
    delta: int
    keep_text: bool | None
    show: tuple[str, ...] | list[str]
    kinds: bool
