"""Bits of a word, words anywhere in memory, and memory that is to be read soon, inside kernels."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def ones(typing_context, value):
    """Number of 1 bits of a uint64."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def low_zeros(typing_context, value):
    """Number of 0 bits below the lowest 1 bit of a uint64, which is not 0."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), codegen


def _loader(bits):
    def load(typing_context, data, at):
        def codegen(context, builder, signature, args):
            start = context.make_array(signature.args[0])(context, builder, args[0]).data
            address = builder.bitcast(builder.gep(start, [args[1]]), ir.IntType(bits).as_pointer())
            return builder.zext(builder.load(address, align=1), ir.IntType(64))

        return types.uint64(data, types.intp), codegen

    return load


four_bytes, eight_bytes = intrinsic(_loader(32)), intrinsic(_loader(64))
"""`data[at:at + 4]`, or `+ 8`, of bytes as they lie in memory (uint8, one dimension), as one number (uint64)."""


AHEAD = 8
"""Documents ahead of which a loop asks for what it reads of each: a few among millions are in no cache."""


@intrinsic
def prefetch(typing_context, array, index):
    """Asks for the cache line of `array[index]` (one dimension, contiguous), which is read a little later."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        address = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        one = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, one, one, one])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [address, one(0), one(3), one(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen
