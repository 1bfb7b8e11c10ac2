"""What every command begins with: the configuration and the window."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.cli.door import ElasticsearchMissing, WindowMissing, say

if TYPE_CHECKING:
    from neardup import Window
    from neardup.config import Config

DEFAULT_WINDOW: Final = "neardup.window"


def configured(path: Path | None, **options: Any) -> Config:
    """The file and the environment with the `options` that were given on top."""
    from neardup.config import load

    return load(path, os.environ).with_options(**options)


def place_of(window: str | None, config: Config) -> str:
    """The directory meant: the option's, else the configuration's, else `neardup.window`."""
    place = window or config.window or DEFAULT_WINDOW
    if "://" in place:
        raise ElasticsearchMissing(place)
    return place


@contextmanager
def opened(
    window: str | None, config: Config, *, readonly: bool = False, make: bool = False
) -> Iterator[Window]:
    """The open window, which is closed afterwards however the command ends; made if missing only where `make` is so."""
    import neardup
    from neardup.doctor import kernels_are_compiled

    if not make and not Path(place_of(window, config)).is_dir():
        raise WindowMissing(place_of(window, config))
    if not kernels_are_compiled():
        say("compiling the kernels, which is done once and takes half a minute")
    with neardup.open(place_of(window, config), readonly=readonly, **config.given) as target:
        yield target
