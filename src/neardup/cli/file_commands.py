"""The commands that read many documents of files, in the order of the help."""

from __future__ import annotations

from neardup.cli.check import check
from neardup.cli.dedup import dedup
from neardup.cli.ingest import ingest

FILE_COMMANDS = (dedup, check, ingest)
