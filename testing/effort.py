"""How much the tests try. By default they run a third of their random streams, half of their kills, and every second or
third of many similar texts and requests. With NEARDUP_TEST_LONG=1 in the environment, which `make versions` sets for
the tests of nodes, they run all.
"""

import os
from typing import Final

LONG: Final = bool(os.environ.get("NEARDUP_TEST_LONG"))


def examples(most: int) -> int:
    """How many examples are tried, of at most `most`."""
    return most if LONG else most // 3
