"""Sketches: the rules that choose the few keys by which a text is posted (docs/definitions.md, Sketch;
native/sketch.h).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNCOUNTED: Final = -1
"""|A| of a text whose set was not built; it is larger than every limit of a sketch."""


class SketchRules(NamedTuple):
    """The numbers of a recipe that a sketch depends on (docs/definitions.md, Sketch).

    size                   M
    whole, also_whole      a, and the largest size of a set that is posted whole
    wide_above, also_middle   512, and the largest size of a set that has a middle part
    middle                 the offset of the second q-gram of a middle gram
    wide_second, wide_third   the offsets of the second and third q-gram of a wide gram; 0: there is no third
    multipliers            C1 to C6, and C7, which the bitmap uses
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
