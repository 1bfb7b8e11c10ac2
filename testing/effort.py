"""How much tests try: by default a third of their random streams, half of their kills, and every second or third of
many texts and requests of a kind; all of it with NEARDUP_TEST_LONG=1 in the environment, which `make versions` sets for
the tests of nodes.
"""

import os
from typing import Final

LONG: Final = bool(os.environ.get("NEARDUP_TEST_LONG"))


def examples(most: int) -> int:
    """How many examples of at `most` so many are tried."""
    return most if LONG else most // 3
