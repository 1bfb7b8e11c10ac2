"""Parts of arrays inside kernels: what numpy has too, but takes numba seconds to compile."""

from __future__ import annotations

from neardup.kernels.caching import njit
from neardup.kernels.inner import inner


@inner
def copy_range(source, start, end, out, at):
    """Copies `source[start:end]` to `out[at:]`, first value first.

    numba compiles an assignment of slices with the message of the error that it may end with: two seconds.
    """
    for i in range(end - start):
        out[at + i] = source[start + i]


@inner
def first_not_below(values, value):
    """Where the first of the ascending `values` is that is at least `value`; their number if there is none."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def gather(source, starts, sizes, out):
    """Copies `source[starts[i]:starts[i] + sizes[i]]` (uint64) to `out`, one after another."""
    at = 0
    for i in range(len(starts)):
        copy_range(source, starts[i], starts[i] + sizes[i], out, at)
        at += sizes[i]
