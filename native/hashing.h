/* 64-bit hashes: xxh64 over byte ranges, and splitmix64's finaliser. src/neardup/kernels/hashing.py */
#ifndef NEARDUP_HASHING_H
#define NEARDUP_HASHING_H

#include "core.h"

#define PRIME_1 0x9E3779B185EBCA87ULL
#define PRIME_2 0xC2B2AE3D27D4EB4FULL
#define PRIME_3 0x165667B19E3779F9ULL
#define PRIME_4 0x85EBCA77C2B2AE63ULL
#define PRIME_5 0x27D4EB2F165667C5ULL

static inline u64 splitmix64(u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

static inline u64 rotated(u64 value, int bits) { return (value << bits) | (value >> (64 - bits)); }

static inline u64 xxh64_round(u64 lane, u64 value) { return rotated(lane + value * PRIME_2, 31) * PRIME_1; }

static inline u64 xxh64_merged(u64 a, u64 b, u64 c, u64 d) {
    u64 h = rotated(a, 1) + rotated(b, 7) + rotated(c, 12) + rotated(d, 18);
    h = (h ^ xxh64_round(0, a)) * PRIME_1 + PRIME_4;
    h = (h ^ xxh64_round(0, b)) * PRIME_1 + PRIME_4;
    h = (h ^ xxh64_round(0, c)) * PRIME_1 + PRIME_4;
    return (h ^ xxh64_round(0, d)) * PRIME_1 + PRIME_4;
}

/* The last step: what is left of the input after its stripes, and the avalanche. */
static inline u64 xxh64_finished(u64 h, const u8 *at, const u8 *end) {
    for (; end - at >= 8; at += 8) h = rotated(h ^ xxh64_round(0, read64(at)), 27) * PRIME_1 + PRIME_4;
    if (end - at >= 4) {
        h = rotated(h ^ (read32(at) * PRIME_1), 23) * PRIME_2 + PRIME_3;
        at += 4;
    }
    for (; at < end; at++) h = rotated(h ^ (*at * PRIME_5), 11) * PRIME_1;
    h = (h ^ (h >> 33)) * PRIME_2;
    h = (h ^ (h >> 29)) * PRIME_3;
    return h ^ (h >> 32);
}

/* xxh64 of the bytes from `at` to `end` (Y. Collet's specification, section XXH64). */
static inline u64 xxh64(const u8 *at, const u8 *end, u64 seed) {
    const u64 size = (u64)(end - at);
    if (size < 32) return xxh64_finished(seed + PRIME_5 + size, at, end);
    u64 a = seed + PRIME_1 + PRIME_2, b = seed + PRIME_2, c = seed, d = seed - PRIME_1;
    for (; end - at >= 32; at += 32) {
        a = xxh64_round(a, read64(at));
        b = xxh64_round(b, read64(at + 8));
        c = xxh64_round(c, read64(at + 16));
        d = xxh64_round(d, read64(at + 24));
    }
    return xxh64_finished(xxh64_merged(a, b, c, d) + size, at, end);
}

KERNEL(splitmix64, "value int") { return (i64)splitmix64((u64)a[0].number); }

KERNEL(xxh64, "data u1, start int, end int, seed int") {
    const u8 *data = a[0].data;
    return (i64)xxh64(data + a[1].number, data + a[2].number, (u64)a[3].number);
}

#endif
