"""The commands that change what is in a window, in the order of the help."""

from __future__ import annotations

from neardup.cli.delete import delete
from neardup.cli.expire import expire
from neardup.cli.reconcile import reconcile
from neardup.cli.resign import resign

CHANGING_COMMANDS = (delete, expire, reconcile, resign)
