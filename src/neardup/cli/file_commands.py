"""The commands that read many documents of files, in the order of the help; groups of those that learn from them."""

from __future__ import annotations

from neardup.cli.boilerplate import boilerplate
from neardup.cli.check import check
from neardup.cli.dedup import dedup
from neardup.cli.ingest import ingest
from neardup.cli.lexicon import lexicon

FILE_COMMANDS = (dedup, check, ingest)
LEARNING_COMMANDS = {"lexicon": lexicon, "boilerplate": boilerplate}
