/* From an id to its doc: a table with open addressing of hash << 32 | doc + 1. src/neardup/kernels/id_slots.py
 *
 * 0 is a free slot; 1 << 63, which no hash reaches, is one whose id was removed: a search goes on behind it.
 */
#ifndef NEARDUP_ID_SLOTS_H
#define NEARDUP_ID_SLOTS_H

#include "core.h"

enum { ID_HASH_BITS = 31 };

/* The slot, of `size`, at which the search for an id of this hash begins. */
static inline i64 home_of_id(u64 hash, i64 size) { return (i64)(hash * (u64)size >> ID_HASH_BITS); }

KERNEL(find_ids, "slots u8, names u1, name_starts i8, hashes u8, ids u1, id_starts i8, docs i8!") {
    const u64 *slots = a[0].data, *hashes = a[3].data;
    const u8 *names = a[1].data, *ids = a[4].data;
    const i64 *name_starts = a[2].data, *id_starts = a[5].data;
    const i64 size = a[0].length, n = a[3].length;
    i64 *docs = a[6].data;
    for (i64 i = 0; i < n; i++) {
        if (i + AHEAD < n) prefetch(slots + home_of_id(hashes[i + AHEAD], size));
        const i64 length = id_starts[i + 1] - id_starts[i];
        docs[i] = -1;
        for (i64 slot = home_of_id(hashes[i], size); slots[slot]; slot = slot + 1 == size ? 0 : slot + 1) {
            if (slots[slot] >> 32 != hashes[i]) continue;
            const i64 doc = (i64)(u32)slots[slot] - 1;
            if (name_starts[doc + 1] - name_starts[doc] != length) continue;
            if (memcmp(names + name_starts[doc], ids + id_starts[i], (size_t)length)) continue;
            docs[i] = doc;
            break;
        }
    }
    return 0;
}

KERNEL(put_ids, "slots u8!, values u8") {
    u64 *slots = a[0].data;
    const u64 *values = a[1].data;
    const i64 size = a[0].length;
    for (i64 i = 0; i < a[1].length; i++) {
        i64 slot = home_of_id(values[i] >> 32, size);
        while (slots[slot]) slot = slot + 1 == size ? 0 : slot + 1;
        slots[slot] = values[i];
    }
    return 0;
}

#endif
