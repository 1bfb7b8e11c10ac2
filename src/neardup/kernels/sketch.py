"""Sketches: the rules by which a text is posted by few keys (docs/definitions.md, Sketch; native/sketch.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNCOUNTED: Final = -1
"""|A| of a text whose set was not made: it is larger than every limit of a sketch."""


class SketchRules(NamedTuple):
    """The numbers of a recipe that a sketch depends on (docs/definitions.md, Sketch).

    size                   M
    whole, also_whole      a, and up to what size a set is posted whole
    wide_above, also_middle   512, and up to what size a set has a middle part
    middle                 where the second q-gram of a middle gram begins
    wide_second, wide_third   where those of a wide gram begin; 0: there is no third
    multipliers            C1 to C6, and C7, which is the bitmap's
    """

    size: int
    whole: int
    also_whole: int
    wide_above: int
    also_middle: int
    middle: int
    wide_second: int
    wide_third: int
    multipliers: NDArray[np.uint64]
