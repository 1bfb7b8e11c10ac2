/* Where a search goes on in a table with open addressing, whose number of slots is a power of two.
 *
 * It goes from slot to slot at first, which is fastest, as runs are short. But keys are computed from texts, and an
 * author of texts can choose thousands of keys for one slot, each of which would be searched for behind all others. So
 * a search that has tried NEAR_SLOTS leaps, by a distance that depends on the key and a secret of this process. No
 * result depends on slots.
 */
#ifndef NEARDUP_SLOTS_H
#define NEARDUP_SLOTS_H

#include "core.h"
#include "hashing.h"

enum { NEAR_SLOTS = 16 };

static u64 secret_of_process; /* 0: not chosen yet (kernels.c) */

/* The next slot after `slot` where `key` may be, of `mask` + 1; every slot comes in time. `tried`: 0 at first. */
static inline i64 slot_after(i64 slot, i64 mask, u64 key, i64 *tried) {
    if (LIKELY((*tried)++ < NEAR_SLOTS)) return (slot + 1) & mask;
    return (slot + (i64)(splitmix64(key ^ secret_of_process) | 1)) & mask;
}

#endif
