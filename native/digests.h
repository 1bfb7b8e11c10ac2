/* SHA-256 of many texts, by OpenSSL. src/neardup/kernels/digests.py */
#ifndef NEARDUP_DIGESTS_H
#define NEARDUP_DIGESTS_H

#include "core.h"

/* SHA256 of OpenSSL: writes the 32 bytes of the digest of `size` bytes. */
typedef unsigned char *(*Sha256)(const unsigned char *data, size_t size, unsigned char *digest);

KERNEL(sha256_halves, "sha256 int, texts u1, offsets i8, out u8!") {
    const Sha256 sha256 = (Sha256)(intptr_t)a[0].number;
    const u8 *texts = a[1].data;
    const i64 *offsets = a[2].data;
    u64 *out = a[3].data;
    for (i64 i = 0; i < a[3].length; i++) {
        u8 digest[32];
        sha256(texts + offsets[i], (size_t)(offsets[i + 1] - offsets[i]), digest);
        out[2 * i] = __builtin_bswap64(read64(digest));
        out[2 * i + 1] = __builtin_bswap64(read64(digest + 8));
    }
    return 0;
}

#endif
