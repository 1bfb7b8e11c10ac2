"""All kinds of torture: those of the modules that are named here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from testing.torture import (
    cluster_changes,
    cluster_documents,
    cluster_network,
    cluster_processes,
    command_kinds,
    damage_kinds,
    process_kinds,
    state_kinds,
    thread_kinds,
    watched_kinds,
)

if TYPE_CHECKING:
    from testing.torture.kinds import Kind

MODULES: Final = (
    damage_kinds, state_kinds, process_kinds, watched_kinds, command_kinds, thread_kinds,
    cluster_network, cluster_documents, cluster_changes, cluster_processes,
)  # fmt: skip
"""A module belongs here if it has a tuple `KINDS`."""

ALL: Final[tuple[Kind, ...]] = tuple(kind for module in MODULES for kind in module.KINDS)
