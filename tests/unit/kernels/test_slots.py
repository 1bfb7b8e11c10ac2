"""Keys that are chosen for one slot of a table cost no more than others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[3] / "native"

sys.path.insert(0, str(NATIVE))
import compile_kernels  # noqa: E402 - it lies beside the package, and pip runs it alone

COUNTS = """
#include <stdio.h>
#include "slots.h"

static i64 steps;
static inline i64 counted(i64 slot, i64 mask, u64 key, i64 *tried) {
    steps++;
    return slot_after(slot, mask, key, tried);
}
#define slot_after counted
#include "common_runs.h"
#include "gram_sets.h"
#include "posting_lists.h"
#include "qgrams.h"

enum { KEYS = 16384, BITS = 16, SLOTS = 1 << BITS };

static u64 inverse(u64 odd) {
    u64 value = odd;
    for (int i = 0; i < 6; i++) value *= 2 - odd * value;
    return value;
}

int main(void) {
    static u64 table[SLOTS], entries[2 * SLOTS];
    static u32 grams[SLOTS];
    secret_of_process = 0x5DEECE66D1234567ULL;
    for (u64 i = 0; i < KEYS; i++) insert(table, SLOTS - 1, i << 32 | 7);
    printf("%ld ", (long)steps);
    steps = 0;
    for (u64 i = 0; i < KEYS; i++) {
        const u64 key = (7ULL << 32 | i) * inverse(0x9E3779B97F4A7C15ULL);
        const i64 slot = find_in(entries, SLOTS, key);
        entries[2 * slot] = key;
        entries[2 * slot + 1] = 1;
    }
    printf("%ld ", (long)steps);
    steps = 0;
    for (u32 i = 0; i < KEYS; i++) {
        const u32 gram = (7U << BITS | i) * (u32)inverse(GRAM_MULTIPLIER);
        grams[gram_slot(grams, BITS, gram, gram_hash(gram))] = gram;
    }
    printf("%ld %d ", (long)steps, (int)KEYS);

    /* Without a secret the sum p0 + (p1 << 8) + (p2 << 16) + (p3 << 24) was the name: here it is that of all. */
    static u32 points[4 * KEYS], names[4 * KEYS];
    static u8 is_used[SLOTS];
    for (u32 i = 0; i < KEYS; i++) {
        u32 *at = points + 4 * i;
        at[1] = 0x4E00 + i % 128 * 7;
        at[3] = 0x4E00 + i / 128 * 7;
        at[0] = (0x12345678 - (at[1] << 8)) & 0xFFFF;
        at[2] = (((0x12345678 - (at[1] << 8) - at[0]) >> 16) - (at[3] << 8)) & 0xFFFF;
    }
    fill_names(points, 4 * KEYS - 3, SHORT_Q, names);
    i64 used = 0;
    for (i64 i = 0; i < KEYS; i++) {
        used += 1 - is_used[names[4 * i] >> (32 - BITS)];
        is_used[names[4 * i] >> (32 - BITS)] = 1;
    }
    printf("%ld", (long)used);
    return 0;
}
"""
"""How often a search went on to another slot, of three tables that are given keys of one slot; how many keys; and how
many slots the names of as many q-grams take."""


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    command = compile_kernels.compiler()
    if command is None:
        pytest.skip("no C compiler here")
    folder = tmp_path_factory.mktemp("counts")
    (folder / "counts.c").write_text(COUNTS)
    flags = ["-std=gnu11", "-O1", "-fno-strict-aliasing", "-fwrapv", "-Wno-psabi", "-I", str(NATIVE)]
    program = folder / "counts"
    subprocess.run([*command, *flags, str(folder / "counts.c"), "-lm", "-o", str(program)], check=True)
    return list(map(int, subprocess.run([str(program)], capture_output=True, check=True).stdout.split()))


def test_keys_of_one_slot_are_not_looked_for_behind_all_others(counts):
    *steps, keys, _ = counts
    assert len(steps) == 3
    assert all(0 < each < 20 * keys for each in steps), (
        "from slot to slot it would be half of the square of the keys"
    )


def test_q_grams_of_two_texts_cannot_be_made_to_have_one_name(counts):
    *_, keys, used = counts
    assert used > keys / 2
