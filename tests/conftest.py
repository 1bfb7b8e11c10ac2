"""What every test may ask for."""

import gc
import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import settings
from testing.memory import MEMORY, is_roomy
from testing.steps import StepCounter

pytest_plugins = ["testing.node.fixtures"]

settings.register_profile(
    "neardup", deadline=None
)  # no test is timed: a machine may be busy, or still compiling
settings.load_profile("neardup")

if is_roomy():
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))  # where `tmp_path` is

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Whoever runs the tests in the background ignores it, and so would every process that they interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is collected goes before the end, but Python would look through all of it a dozen times."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def steps(tmp_path_factory: pytest.TempPathFactory) -> StepCounter:
    """Counts the steps of expressions: no test is timed. It is compiled anew in each process that has such a test, so
    those that ask for it are of the group `steps`.
    """
    return StepCounter(tmp_path_factory.mktemp("steps"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: those that test a node wait for it about half their time."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test has printed or logged may be no UTF-8; a worker of pytest-xdist could not hand it over."""
    report = yield
    report.sections = [
        (name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections
    ]
    return report
