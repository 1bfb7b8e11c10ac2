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
            hash = Long.rotateLeft(hash ^ round(0, (long) LONGS.get(data, at)), 27) * PRIME_1 + PRIME_4;
        }
        if (at <= to - 4) {
            hash = Long.rotateLeft(hash ^ Integer.toUnsignedLong((int) INTS.get(data, at)) * PRIME_1, 23) * PRIME_2
                    + PRIME_3;
            at += 4;
        }
        for (; at < to; at++) {
            hash = Long.rotateLeft(hash ^ (data[at] & 0xFF) * PRIME_5, 11) * PRIME_1;
        }
        hash = (hash ^ hash >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }

    private static long round(long lane, long value) {
        return Long.rotateLeft(lane + value * PRIME_2, 31) * PRIME_1;
    }

    private static long merge(long hash, long lane) {
        return (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
    }
}
