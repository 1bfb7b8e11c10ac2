"""The command `neardup`, also as `python -m neardup`."""

import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Loads the command line and runs it."""
    tells_traceback = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if tells_traceback:  # no traceback if interrupted while modules are loaded
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from neardup.cli import command_line, run  # noqa: PLC0415 - this is what takes its time

    commands = command_line(*sys.argv[1:2])
    if tells_traceback:  # another handler may not be Python's, and is left alone
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run(commands)


if __name__ == "__main__":
    main()
