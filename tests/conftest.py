"""What every test may ask for."""

import signal

pytest_plugins = ["testing.node.fixtures"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Whoever runs the tests in the background ignores it, and so would every process that they interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
