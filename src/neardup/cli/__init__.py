"""The command line: one file per command, which parses, calls the library once, and prints.

Nothing here is imported by the library. Nothing heavy is imported before a command needs it: `neardup --help` must
not wait for numpy, so the commands import what they call inside their bodies.
"""

from neardup.cli.application import command_line
from neardup.cli.running import run

__all__ = ["command_line", "run"]
