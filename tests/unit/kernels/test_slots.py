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
    printf("%ld %d", (long)steps, (int)KEYS);
    return 0;
}
"""
"""How often a search went on to another slot, of three tables that are given keys of one slot; how many keys."""


def test_keys_of_one_slot_are_not_looked_for_behind_all_others(tmp_path):
    command = compile_kernels.compiler()
    if command is None:
        pytest.skip("no C compiler here")
    (tmp_path / "counts.c").write_text(COUNTS)
    flags = ["-std=gnu11", "-O1", "-fno-strict-aliasing", "-fwrapv", "-Wno-psabi", "-I", str(NATIVE)]
    program = tmp_path / "counts"
    subprocess.run([*command, *flags, str(tmp_path / "counts.c"), "-lm", "-o", str(program)], check=True)
    *steps, keys = map(int, subprocess.run([str(program)], capture_output=True, check=True).stdout.split())
    assert len(steps) == 3
    assert all(0 < each < 20 * keys for each in steps), (
        "from slot to slot it would be half of the square of the keys"
    )
