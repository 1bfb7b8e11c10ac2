"""All fuzz targets by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from testing.fuzz import answers, readers, texts, values, window_files

if TYPE_CHECKING:
    from testing.fuzz.target import Target

ALL: dict[str, Target] = {
    target.name: target
    for module in (readers, values, window_files, answers, texts)
    for target in module.TARGETS
}
