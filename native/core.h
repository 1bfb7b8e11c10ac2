/* The basis of every kernel: fixed-width types, arguments from Python, words anywhere in memory, bits.
 *
 * A kernel is a function that Python calls by name (src/neardup/kernels/native.py). It takes plain arrays and numbers,
 * allocates next to nothing, knows no Python, and runs without its lock. Its contract is in the module of
 * src/neardup/kernels/ of the same name as its file here.
 */
#ifndef NEARDUP_CORE_H
#define NEARDUP_CORE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* One argument of a kernel. An array: where it begins, its rows (its values, if it has one dimension), values a row,
 * bytes a value, bytes from row to row. A number: in `number` or `real`. The types have been checked, and that arrays are
 * contiguous, but for those whose rows may lie apart.
 */
typedef struct {
    union {
        void *data;
        i64 number;
        double real;
    };
    i64 length;
    i64 width;
    i64 item;
    i64 stride;
} Arg;

#define EXPORT __attribute__((visibility("default")))
#define NO_MEMORY INT64_MIN
#define BAD_ARGUMENT (INT64_MIN + 1) /* and those above it, by the place of the argument */
enum { MOST_ARGS = 64 };

/* The first `size` arguments of `*rest`, which then begins behind them. Arguments that several kernels take are
 * unpacked in this way: their parameters are a macro (LISTS), and they become a struct (lists_of).
 */
static inline const Arg *take(const Arg **rest, i64 size) {
    const Arg *taken = *rest;
    *rest += size;
    return taken;
}

/* The fields of numpy's arrays behind their header (PyArrayObject_fields in its ndarraytypes.h, the same in all
 * versions). native.py checks this once: to ask every array for its address through Python takes several times as long.
 */
typedef struct {
    void *data;
    int dimensions;
    const i64 *shape;
    const i64 *strides;
    const void *base;
    const void *type;
    int flags;
} ArrayFields;

enum { IS_CONTIGUOUS = 0x0001, IS_WRITEABLE = 0x0400 };

/* Makes arguments from the words that Python passes, two for each: the value of a number; the address of an array, and
 * the bytes of its values. `kinds` has a letter for each: n, a number; r, an array that is read; w, written; s, read,
 * whose rows may lie apart; a space ends them. Returns the place of the first argument that cannot be used, or -1.
 */
static inline i64 unpack_arguments(const i64 *words, const char *kinds, i64 header, Arg *args) {
    for (i64 k = 0; kinds[k] != ' '; k++) {
        args[k] = (Arg){.number = words[2 * k]};
        if (kinds[k] == 'n') continue;
        const ArrayFields *array = (const ArrayFields *)((const char *)words[2 * k] + header);
        if (kinds[k] != 's' && !(array->flags & IS_CONTIGUOUS)) return k;
        if (kinds[k] == 'w' && !(array->flags & IS_WRITEABLE)) return k;
        if (array->dimensions < 1) return k;
        i64 width = 1;
        for (int d = 1; d < array->dimensions; d++) width *= array->shape[d];
        args[k] = (Arg){.data = array->data,
                        .length = array->shape[0],
                        .width = width,
                        .item = words[2 * k + 1],
                        .stride = array->strides[0]};
    }
    return -1;
}

/* Defines a kernel, and exports what it takes, by which Python checks every call: "name type" for each argument, with
 * commas between. Types are those of numpy, u1 u2 u4 u8 i4 i8 f8 b1; ! where it is written to; several with | between;
 * / where rows may lie apart, as those of a column of a structured array do; int and float are numbers. A kernel returns
 * a number; NO_MEMORY becomes a MemoryError.
 */
#define KERNEL(name, parameters)                                                 \
    EXPORT const char neardup_##name##_parameters[] = parameters;                \
    static i64 kernel_##name(const Arg *a);                                      \
    EXPORT i64 neardup_##name(const i64 *words, const char *kinds, i64 header);  \
    EXPORT i64 neardup_##name(const i64 *words, const char *kinds, i64 header) { \
        Arg args[MOST_ARGS];                                                     \
        const i64 bad = unpack_arguments(words, kinds, header, args);            \
        return bad < 0 ? kernel_##name(args) : BAD_ARGUMENT + bad;               \
    }                                                                            \
    static i64 kernel_##name(const Arg *a)

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define ALWAYS static inline __attribute__((always_inline))

static inline i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }
static inline i64 max_i64(i64 a, i64 b) { return a > b ? a : b; }

/* The least overlap of two sets with doc_q >= numerator / denominator, of which the larger one has `larger` keys. */
static inline i64 required_overlap(i64 larger, i64 numerator, i64 denominator) {
    return (numerator * larger + denominator - 1) / denominator;
}

/* Bytes as they lie in memory, little-endian, as one number. */
static inline u64 read64(const u8 *at) {
    u64 value;
    memcpy(&value, at, 8);
    return value;
}

static inline u32 read32(const u8 *at) {
    u32 value;
    memcpy(&value, at, 4);
    return value;
}

static inline i64 ones(u64 value) { return __builtin_popcountll(value); }
static inline i64 low_zeros(u64 value) { return __builtin_ctzll(value); } /* of a value that is not 0 */

/* Prefetches the cache line at an address that is read a little later. */
static inline void prefetch(const void *at) { __builtin_prefetch(at, 0, 3); }

/* This many values are read before anything is written by them: a processor makes a read wait for an earlier write if
 * the low bits of both addresses are equal.
 */
enum { READ_FIRST = 8 };

/* How many documents ahead a loop prefetches what it reads of each: a few among millions are in no cache. */
#define AHEAD 8

#endif
