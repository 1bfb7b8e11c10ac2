"""The pictures of docs/tour.md: `python -m testing.tour` makes them anew from the sample that ships with neardup.

It needs Chromium and its driver on PATH, and the extras `serve` and `test`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from testing.browser import CHROMIUM, DRIVER, browser, served

ROOT: Final = Path(__file__).parents[1]
PICTURES: Final = ROOT / "docs" / "pictures"
PASTED: Final = "wire-0020"
"""The document whose text is pasted."""
HEAD: Final = "wire-0002"
"""The group that is shown."""


WINDOW: Final = "news.window"


class Picture(NamedTuple):
    """A page to be shown: its path on the server, its width and height, and whether it is dark."""

    path: str
    width: int
    height: int
    dark: bool = False


SHOWN: Final = {
    "home": Picture("", 1_100, 860),
    "seen": Picture("check", 1_100, 620),
    "group": Picture(f"group?{urlencode({'head': HEAD})}", 1_280, 1_000),
    "phone": Picture(f"group?{urlencode({'head': HEAD})}", 400, 800, dark=True),
    "scores": Picture("scores", 1_100, 900),
    "report": Picture("report.html", 1_100, 900),
}
"""Every picture by its name, in the order of the tour."""


def main() -> None:
    """Make all pictures."""
    if not (CHROMIUM and DRIVER):
        raise SystemExit(
            "there is no chromium and chromedriver on PATH: apt install chromium chromium-driver"
        )
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        window, report = directory / WINDOW, directory / "report.html"
        _neardup(
            "ingest", ROOT / "examples/stream.jsonl", "--window", window, "--format", "quiet", fails=True
        )
        _neardup("report", "--window", window, "--output", report)
        text = _neardup("get", PASTED, "--window", window).partition("\n\n")[2]
        with served(Path(WINDOW), directory) as address:
            for shown, picture in SHOWN.items():
                words = (
                    ("--force-dark-mode", "--blink-settings=preferredColorScheme=0") if picture.dark else ()
                )
                with browser(directory / shown, *words) as driver:
                    _look(driver, picture, address, report, text)
                    driver.save_screenshot(str(PICTURES / f"{shown}.png"))


def _look(driver: Any, picture: Picture, address: str, report: Path, text: str) -> None:
    """Open the page, in its size."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": picture.width, "height": picture.height, "deviceScaleFactor": 1, "mobile": False},
    )
    if picture.path == "report.html":
        driver.get(report.as_uri())
    elif picture.path == "check":
        driver.get(address)
        driver.find_element("id", "text").send_keys(text.strip())
        driver.find_element("css selector", "form button").click()
    else:
        driver.get(address + picture.path)


def _neardup(*words: str | Path, fails: bool = False) -> str:
    """The output of a command; two records of the sample are rejected, for which it `fails`."""
    command = [sys.executable, "-m", "neardup", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if fails else 0), done.stderr
    return done.stdout


if __name__ == "__main__":
    main()
