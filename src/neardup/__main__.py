"""The command `neardup`, also as `python -m neardup`."""

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Load the command line and run it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # it would tell a traceback of whatever is being loaded
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from neardup.cli import main as run  # noqa: PLC0415 - this is what takes its time

    signal.signal(signal.SIGINT, before)
    run()


if __name__ == "__main__":
    main()
