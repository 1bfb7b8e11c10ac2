"""How much random tests try: a third by default, all of it with NEARDUP_TEST_LONG=1, as `make versions` sets it."""

import os
from typing import Final

LONG: Final = bool(os.environ.get("NEARDUP_TEST_LONG"))


def examples(most: int) -> int:
    """How many examples of at `most` so many are tried."""
    return most if LONG else most // 3
