"""How many of some bitsets each bit is in, inside kernels: 512 bits at a time.

One bit plane for every binary digit of the counts, and every bitset added to them with carries (Rinfret, O'Neil &
O'Neil 2001, "Bit-sliced index arithmetic"); sixteen at a time by fifteen adders (Harley & Seal; Muła, Kurz & Lemire
2018), so that only every sixteenth carries on.

    planes[WORDS · p : WORDS · (p + 1)]   digit p of what 512 bits count; of p = CARRY what is carried on

Written as operations on vectors: of a loop over so few words the compiler makes one word after another.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from neardup.kernels.inner import inner

WORDS = 8
"""Words that are worked at once: one cache line."""
BITS = 64 * WORDS
CARRY = 16
SIZE = WORDS * (CARRY + 1)
"""Words of an array of planes."""
AT_ONCE = 16
"""Bitsets that are added at once."""

_WORD = ir.IntType(64)
_LINE = ir.VectorType(_WORD, WORDS)
_FLAGS = ir.VectorType(ir.IntType(1), 64)
_BYTES = ir.VectorType(ir.IntType(8), 64)


@inner
def digits_of(count):
    """Binary digits of `count`: how many planes hold counts up to it."""
    digits = 0
    while count >> digits:
        digits += 1
    return digits


@inner
def add_rows(bits, base, stride, rows, first, last, planes):
    """Sets `planes` (uint64, SIZE) to how many of the bitsets `rows[first:last]` (int64) each of 512 bits is in.

    Those of row r begin at `bits[base + stride * r]` (uint64, one dimension). `last - first` is a multiple of AT_ONCE,
    below 2^16: there is a bitset of none to fill up with.
    """
    planes[:] = 0
    for j in range(first, last, AT_ONCE):
        _add_sixteen(bits, base, stride, rows, j, planes)
        for p in range(4, digits_of(j + AT_ONCE - first)):
            _carry_on(planes, WORDS * p)


def _data(context, builder, signature, args, which):
    return context.make_array(signature.args[which])(context, builder, args[which]).data


def _vector(builder, data, at, kind):
    """A pointer to a vector that begins at `data[at]`."""
    return builder.bitcast(builder.gep(data, [at]), kind.as_pointer())


@intrinsic
def _add_sixteen(typing_context, bits, base, stride, rows, at, planes):
    """Adds the bitsets `rows[at:at + 16]` to the four lowest planes, and leaves sixteens as what is carried on."""

    def codegen(context, builder, signature, args):
        data, numbers, sums = (_data(context, builder, signature, args, which) for which in (0, 3, 5))
        lines = [_vector(builder, sums, _WORD(WORDS * p), _LINE) for p in range(4)]
        held = [builder.load(address, align=8) for address in lines]
        waiting = [[] for _ in range(5)]  # by digit: what is yet to be added

        def add(digit, line):
            waiting[digit].append(line)
            if digit < len(held) and len(waiting[digit]) == 2:
                one, other = waiting[digit]
                waiting[digit] = []
                half = builder.xor(held[digit], one)
                carry = builder.or_(builder.and_(held[digit], one), builder.and_(half, other))
                held[digit] = builder.xor(half, other)
                add(digit + 1, carry)

        for k in range(AT_ONCE):
            row = builder.load(builder.gep(numbers, [builder.add(args[4], _WORD(k))]))
            start = builder.add(args[1], builder.mul(args[2], row))
            add(0, builder.load(_vector(builder, data, start, _LINE), align=8))
        for address, line in zip(lines, held, strict=True):
            builder.store(line, address, align=8)
        builder.store(waiting[4][0], _vector(builder, sums, _WORD(WORDS * CARRY), _LINE), align=8)
        return context.get_dummy_value()

    return types.void(bits, types.int64, types.int64, rows, types.int64, planes), codegen


@intrinsic
def _carry_on(typing_context, planes, at):
    """Adds what is carried on to the plane that begins at `planes[at]`, and leaves what that carries on."""

    def codegen(context, builder, signature, args):
        data = _data(context, builder, signature, args, 0)
        lines = [_vector(builder, data, start, _LINE) for start in (args[1], _WORD(WORDS * CARRY))]
        digit, carry = (builder.load(address, align=8) for address in lines)
        builder.store(builder.xor(digit, carry), lines[0], align=8)
        builder.store(builder.and_(digit, carry), lines[1], align=8)
        return context.get_dummy_value()

    return types.void(planes, types.int64), codegen


@inner
def set_counts(planes, counts, at):
    """Sets `counts[at:at + BITS]` (uint16 or int32, one dimension) to what the bits of `planes` count."""
    for word in range(WORDS):
        _set_word(planes, word, counts, at + 64 * word)


@intrinsic
def _set_word(typing_context, planes, word, counts, at):
    """Sets `counts[at:at + 64]` to what the bits of one `word` of each plane count."""

    def codegen(context, builder, signature, args):
        sums, out = (_data(context, builder, signature, args, which) for which in (0, 2))
        numbers_of = ir.VectorType(ir.IntType(signature.args[2].dtype.bitwidth), 64)
        none = ir.Constant(_BYTES, [0] * 64)

        def eight_digits(first):
            numbers = none
            for p in range(8):
                address = builder.gep(sums, [builder.add(args[1], _WORD(WORDS * (first + p)))])
                flags = builder.bitcast(builder.load(address), _FLAGS)
                digit = builder.select(flags, ir.Constant(_BYTES, [1 << p] * 64), none)
                numbers = builder.or_(numbers, digit)
            return builder.zext(numbers, numbers_of)

        address = _vector(builder, out, args[3], numbers_of)
        high = builder.shl(eight_digits(8), ir.Constant(numbers_of, [8] * 64))
        builder.store(builder.add(eight_digits(0), high), address, align=2)
        return context.get_dummy_value()

    return types.void(planes, types.int64, counts, types.int64), codegen
