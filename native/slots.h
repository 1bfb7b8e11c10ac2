/* Where a search in a table with open addressing goes on, whose slots are a power of two.
 *
 * From slot to slot at first, which is quickest: runs are short. But keys are arithmetic on texts, and whoever writes
 * texts can choose thousands of keys for one slot, of which each would be looked for behind all others. So a search that
 * has tried NEAR_SLOTS leaps, as far as the key and a secret of this process say. Nothing that is computed depends on
 * slots.
 */
#ifndef NEARDUP_SLOTS_H
#define NEARDUP_SLOTS_H

#include "core.h"
#include "hashing.h"

enum { NEAR_SLOTS = 16 };

static u64 secret_of_process; /* 0: not chosen yet (kernels.c) */

/* The slot behind `slot` where `key` may be, of `mask` + 1; all come round. `tried`: 0 at first. */
static inline i64 slot_after(i64 slot, i64 mask, u64 key, i64 *tried) {
    if (LIKELY((*tried)++ < NEAR_SLOTS)) return (slot + 1) & mask;
    return (slot + (i64)(splitmix64(key ^ secret_of_process) | 1)) & mask;
}

#endif
