"""A Chromium installed on this machine, and the server of a window for it to open."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

CHROMIUM, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
SECONDS: Final = 60
"""Time limit for a page or the server."""
_OPTIONS: Final = (
    "--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip


@contextmanager
def served(window: Path, directory: Path) -> Iterator[str]:
    """The address of `neardup serve` on this window, started in `directory`; the server must exit as it should."""
    command = [sys.executable, "-m", "neardup", "serve", "--window", str(window), "--port", "0"]
    said = directory / "said"
    with said.open("w") as errors:
        server = subprocess.Popen(command, cwd=directory, stderr=errors)
    try:
        until = time.monotonic() + SECONDS
        while (address := re.search(r"http://\S+", said.read_text())) is None:
            assert server.poll() is None, said.read_text()
            assert time.monotonic() < until, said.read_text()
            time.sleep(0.05)
        yield address[0]
        server.send_signal(signal.SIGINT)
        assert server.wait(SECONDS) == 130
        assert "Traceback" not in said.read_text()
    finally:
        server.kill()
        server.wait()


@contextmanager
def browser(profile: Path, *options: str) -> Iterator[Any]:
    """The browser, with its files in `profile`; at the end, messages of pages in its console are an error."""
    from selenium import webdriver

    chosen = webdriver.ChromeOptions()
    chosen.binary_location = CHROMIUM or ""
    for word in (*_OPTIONS, *options, f"--user-data-dir={profile}"):
        chosen.add_argument(word)
    if os.geteuid() == 0:
        chosen.add_argument("--no-sandbox")
    chosen.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=chosen, service=webdriver.ChromeService(DRIVER))
    try:
        driver.set_page_load_timeout(SECONDS)
        yield driver
        assert driver.get_log("browser") == []
    finally:
        driver.quit()
