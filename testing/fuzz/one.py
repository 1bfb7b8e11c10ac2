"""One fuzz target in this process, guided by coverage, until libFuzzer ends it:

python -m testing.fuzz.one csv -max_total_time=60 FOLDER
"""

from __future__ import annotations

import logging
import pkgutil
import sys
import warnings
from importlib import import_module
from pathlib import Path

import atheris

PACKAGE = Path(__file__).parents[2] / "src" / "neardup"
OTHERS = ("email", "tomllib", "json")
"""Modules of the standard library that are written in Python and parse for us."""


def main() -> None:
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    kernels = [f"neardup.kernels.{each.name}" for each in pkgutil.iter_modules([str(PACKAGE / "kernels")])]
    with atheris.instrument_imports(include=["neardup", *OTHERS], exclude=["neardup.kernels", *kernels]):
        for each in pkgutil.walk_packages([str(PACKAGE)], "neardup."):
            if not each.name.startswith(("neardup.kernels", "neardup.__main__")):
                import_module(each.name)
        from testing.fuzz.targets import ALL
    run = ALL[sys.argv[1]].run

    def one_input(data: bytes) -> None:
        run(data)

    atheris.Setup([sys.argv[0], *sys.argv[2:]], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
