package org.neardup.signature;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * xxh64 of a range of bytes: section XXH64 of the xxHash specification (Y. Collet).
 *
 * <p>Written here because a plugin cannot rely on the hash libraries inside the server.
 */
final class XxHash64 {
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;

    /** Fewer bytes than this have at most two groups of eight, one of four, and three more. */
    private static final int FEW = 24;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private XxHash64() {}

    /** The hash of {@code data[from]} to {@code data[to - 1]}. */
    static long hash(byte[] data, int from, int to, long seed) {
        int at = from;
        long hash;
        if (to - from >= 32) {
            long a = seed + PRIME_1 + PRIME_2;
            long b = seed + PRIME_2;
            long c = seed;
            long d = seed - PRIME_1;
            for (; at <= to - 32; at += 32) {
                a = round(a, (long) LONGS.get(data, at));
                b = round(b, (long) LONGS.get(data, at + 8));
                c = round(c, (long) LONGS.get(data, at + 16));
                d = round(d, (long) LONGS.get(data, at + 24));
            }
            hash = Long.rotateLeft(a, 1) + Long.rotateLeft(b, 7) + Long.rotateLeft(c, 12) + Long.rotateLeft(d, 18);
            hash = merge(merge(merge(merge(hash, a), b), c), d);
        } else {
            hash = seed + PRIME_5;
        }
        hash += to - from;
        for (; at <= to - 8; at += 8) {
            hash = addEight(hash, (long) LONGS.get(data, at));
        }
        if (at <= to - 4) {
            hash = addFour(hash, Integer.toUnsignedLong((int) INTS.get(data, at)));
            at += 4;
        }
        for (; at < to; at++) {
            hash = addOne(hash, data[at] & 0xFF);
        }
        return finished(hash);
    }

    /**
     * The hash with seed 0, for data in which eight bytes can be read behind {@code to}.
     *
     * <p>For few bytes every step is computed, and counts only if there are bytes for it: words have all lengths, and a
     * branch would be mispredicted at most of them.
     */
    static long hashWords(byte[] data, int from, int to) {
        int length = to - from;
        if (length >= FEW) {
            return hash(data, from, to, 0);
        }
        long hash = PRIME_5 + length;
        int eights = length >>> 3;
        hash = chosen(eights - 1, hash, addEight(hash, (long) LONGS.get(data, from)));
        hash = chosen(eights - 2, hash, addEight(hash, (long) LONGS.get(data, from + (eights & 2) * 4)));
        long rest = (long) LONGS.get(data, from + 8 * eights);
        int four = length & 4;
        hash = chosen(four - 1, hash, addFour(hash, rest & 0xFFFF_FFFFL));
        rest >>>= 8 * four;
        int ones = length & 3;
        for (int i = 1; i <= 3; i++) {
            hash = chosen(ones - i, hash, addOne(hash, rest & 0xFF));
            rest >>>= Byte.SIZE;
        }
        return finished(hash);
    }

    /**
     * {@code before} if {@code left} is negative, else {@code after}: by bits, since the JIT makes a branch of a
     * condition.
     */
    private static long chosen(int left, long before, long after) {
        return after ^ (after ^ before) & left >> Integer.SIZE - 1;
    }

    private static long addEight(long hash, long bytes) {
        return Long.rotateLeft(hash ^ round(0, bytes), 27) * PRIME_1 + PRIME_4;
    }

    private static long addFour(long hash, long bytes) {
        return Long.rotateLeft(hash ^ bytes * PRIME_1, 23) * PRIME_2 + PRIME_3;
    }

    private static long addOne(long hash, long value) {
        return Long.rotateLeft(hash ^ value * PRIME_5, 11) * PRIME_1;
    }

    private static long finished(long hash) {
        long mixed = (hash ^ hash >>> 33) * PRIME_2;
        mixed = (mixed ^ mixed >>> 29) * PRIME_3;
        return mixed ^ mixed >>> 32;
    }

    private static long round(long lane, long value) {
        return Long.rotateLeft(lane + value * PRIME_2, 31) * PRIME_1;
    }

    private static long merge(long hash, long lane) {
        return (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
    }
}
