"""Makes src/neardup/data/rank16.bin, the tables that rank q-grams (defined in neardup.tables.ranks).

    python scripts/make_rank_tables.py

Logarithms are taken with 50 decimal digits, so no platform's floating point decides a rounding. That 50
digits are enough is checked: no value lies near a half.
"""

from __future__ import annotations

import sys
from array import array
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from pathlib import Path

from neardup.model.settings import DEFAULT_ALPHA
from neardup.tables import container
from neardup.tables import ranks as layout

TARGET = Path(__file__).resolve().parents[1] / "src" / "neardup" / "data" / "rank16.bin"
DIGITS = 50
SAFE_DISTANCE = Decimal("1e-30")


def main() -> None:
    """Write both tables."""
    packed = array(
        "H", [*exponential_ranks(), *(int(weight) for weight in layout.class_weights(DEFAULT_ALPHA))]
    )
    if sys.byteorder == "big":
        packed.byteswap()
    checksum = container.write(TARGET, layout.KIND, layout.VERSION, packed.tobytes())
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes, checksum {checksum:016x}")


def exponential_ranks() -> list[int]:
    """EL: round(1024 · (log2(-ln((i + 1/2) / 65,536)) + 18)) for every i of 16 bits."""
    with localcontext() as context:
        context.prec = DIGITS
        ln2 = Decimal(2).ln()
        return [
            rounded(1024 * ((-(Decimal(2 * i + 1) / 131_072).ln()).ln() / ln2 + 18)) for i in range(65_536)
        ]


def rounded(value: Decimal) -> int:
    """The integer nearest to `value`, which must not lie so near a half that more digits could change it."""
    distance = abs(abs(value - value.to_integral_value()) - Decimal("0.5"))
    if distance < SAFE_DISTANCE:
        sys.exit(f"{value} is too near a half for {DIGITS} digits")
    return int(value.to_integral_value(ROUND_HALF_EVEN))


if __name__ == "__main__":
    main()
