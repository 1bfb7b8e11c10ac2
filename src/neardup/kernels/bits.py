"""Bits of a word, inside kernels."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic


@intrinsic
def ones(typing_context, value):
    """Number of 1 bits of a uint64."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen
