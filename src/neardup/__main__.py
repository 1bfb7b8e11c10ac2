"""The command `neardup`, also as `python -m neardup`."""

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Load the command line and run it."""
    tells_traceback = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if tells_traceback:  # of whatever is being loaded
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from neardup.cli import main as run  # noqa: PLC0415 - this is what takes its time

    if tells_traceback:  # any other handler is not ours to set: it need not be one of Python's
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


if __name__ == "__main__":
    main()
