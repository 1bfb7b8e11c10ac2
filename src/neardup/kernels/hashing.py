"""64-bit hashes inside kernels: xxh64 over byte ranges, and splitmix64's finaliser.

xxh64 follows the xxHash specification (Y. Collet, section XXH64); the test compares it with the
`xxhash` package for every length up to several stripes. Written here because a kernel cannot call that package.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from neardup.kernels.caching import njit
from neardup.kernels.inner import inner

PRIME_1 = np.uint64(0x9E3779B185EBCA87)
PRIME_2 = np.uint64(0xC2B2AE3D27D4EB4F)
PRIME_3 = np.uint64(0x165667B19E3779F9)
PRIME_4 = np.uint64(0x85EBCA77C2B2AE63)
PRIME_5 = np.uint64(0x27D4EB2F165667C5)
_U = np.uint64


@njit(cache=True, nogil=True)
def splitmix64(value):
    """splitmix64's finaliser: a bijection on 64-bit values (Steele, Lea & Flood 2014; docs/definitions.md, Key)."""
    z = _U(value)
    z = (z ^ (z >> _U(30))) * _U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> _U(27))) * _U(0x94D049BB133111EB)
    return z ^ (z >> _U(31))


@inner
def _rotate(value, bits):
    return (value << _U(bits)) | (value >> _U(64 - bits))


def _load(bits):
    """An intrinsic reading `bits` bits, little-endian, from a uint8 array at any (unaligned) byte offset.

    Assembling the bytes by shifts costs four times as much: LLVM does not always see that they are one load.
    """

    @intrinsic
    def load(typing_context, data, at):
        def codegen(context, builder, signature, args):
            array = context.make_array(signature.args[0])(context, builder, args[0])
            address = builder.gep(array.data, [args[1]])
            word = builder.load(builder.bitcast(address, ir.IntType(bits).as_pointer()))
            word.align = 1
            return builder.zext(word, ir.IntType(64)) if bits < 64 else word

        return types.uint64(data, types.int64), codegen

    return load


read64 = _load(64)
_read32 = _load(32)


@inner
def _round(lane, value):
    return _rotate(lane + value * PRIME_2, 31) * PRIME_1


@inner
def _merged(a, b, c, d):
    h = _rotate(a, 1) + _rotate(b, 7) + _rotate(c, 12) + _rotate(d, 18)
    for lane in (a, b, c, d):
        h = (h ^ _round(_U(0), lane)) * PRIME_1 + PRIME_4
    return h


@inner
def xxh64(data, start, end, seed):
    """xxh64 of the bytes `data[start:end]` (uint8) with the uint64 `seed`; a uint64."""
    at = start
    if end - start >= 32:
        a = seed + PRIME_1 + PRIME_2
        b = seed + PRIME_2
        c = seed
        d = seed - PRIME_1
        while at + 32 <= end:
            a = _round(a, read64(data, at))
            b = _round(b, read64(data, at + 8))
            c = _round(c, read64(data, at + 16))
            d = _round(d, read64(data, at + 24))
            at += 32
        h = _merged(a, b, c, d)
    else:
        h = seed + PRIME_5
    return _finished(h + _U(end - start), data, at, end)


@inner
def _finished(h, data, at, end):
    """The last step of xxh64: what is left of the input after its stripes, and the avalanche."""
    while at + 8 <= end:
        h = _rotate(h ^ _round(_U(0), read64(data, at)), 27) * PRIME_1 + PRIME_4
        at += 8
    if at + 4 <= end:
        h = _rotate(h ^ (_read32(data, at) * PRIME_1), 23) * PRIME_2 + PRIME_3
        at += 4
    while at < end:
        h = _rotate(h ^ (_U(data[at]) * PRIME_5), 11) * PRIME_1
        at += 1
    h = (h ^ (h >> _U(33))) * PRIME_2
    h = (h ^ (h >> _U(29))) * PRIME_3
    return h ^ (h >> _U(32))
