"""Hatchling's hook: compiles the kernels when a wheel is built, or an editable installation made."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
import compile_kernels


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """`neardup/kernels/lib/kernels-*.so`: for one platform, but for any Python, because they know nothing of it."""

    def dependencies(self) -> list[str]:
        """What else is needed to build: a compiler, if there is none."""
        return [] if compile_kernels.compiler() else ["ziglang>=0.13"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's
        """Compiles the kernels, and adds them to the wheel."""
        libraries = compile_kernels.build(Path(self.root) / compile_kernels.LIBRARIES)
        tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"
        build_data["artifacts"] += [f"/{path.relative_to(self.root)}" for path in libraries]
