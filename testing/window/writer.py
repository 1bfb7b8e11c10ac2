"""Ingests a stream of JSON Lines into a window and prints every verdict as it is yielded: a process to be killed.

python writer.py STREAM WINDOW SETTINGS(JSON)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from neardup.elastic.http.address import is_address
from neardup.elastic.window.opening import open_elastic_window
from neardup.opening import open_window


def main(stream: str, window: str, settings: str) -> None:
    documents = (json.loads(line) for line in Path(stream).read_text().splitlines())
    opens = open_elastic_window if is_address(window) else open_window
    with opens(window, **json.loads(settings)) as opened:
        for verdict in opened.ingest(documents):
            sys.stdout.write(verdict.to_json().decode() + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
