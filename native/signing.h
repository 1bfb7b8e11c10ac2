/* From a batch of texts to what a decision needs, in one call: normal forms, sketches, bitmaps.
 *
 * Documents are processed one after another, each through all steps, so that its arrays stay in the first two cache
 * levels; steps over a whole batch are slower (1,000 documents an array leave the second level).
 */
#ifndef NEARDUP_SIGNING_H
#define NEARDUP_SIGNING_H

#include "bitmap_filter.h"
#include "core.h"
#include "qgrams.h"
#include "scratch.h"
#include "sketch.h"
#include "text.h"

KERNEL(sign_batch,
       "data u1, offsets i8, normal int, counted int, q int, fold int, " TEXT_TABLES ", " SKETCH_RULES ", " SCRATCH
       ", texts u1!, text_offsets i8!, counts i8!, sketches u8!, sketch_offsets i8!, levels u1!, bitmaps u8!") {
    const u8 *data = a[0].data;
    const i64 *offsets = a[1].data;
    const i64 n = a[1].length - 1, q = a[4].number;
    const bool normal = a[2].number, counted = a[3].number, fold = a[5].number;
    a += 6;
    const TextTables tables = text_tables_of(&a);
    const SketchRules rules = sketch_rules_of(&a);
    const Scratch scratch = scratch_of(&a);
    u8 *texts = a[0].data, *levels = a[5].data;
    i64 *text_offsets = a[1].data, *counts = a[2].data, *sketch_offsets = a[4].data;
    u64 *sketches = a[3].data, *bitmaps = a[6].data;
    text_offsets[0] = 0;
    sketch_offsets[0] = 0;
    for (i64 i = 0; i < n; i++) {
        const i64 begin = text_offsets[i];
        i64 stop = begin + offsets[i + 1] - offsets[i];
        if (normal)
            memcpy(texts + begin, data + offsets[i], (size_t)(stop - begin));
        else
            stop = normal_form(data, offsets[i], offsets[i + 1], &tables, fold, scratch.points, texts, begin);
        text_offsets[i + 1] = stop;
        const i64 windows = window_keys(texts, begin, stop, q, &scratch, scratch.keys);
        double possible = INFINITY;
        if (windows > rules.also_whole)
            possible = is_ascii(texts, begin, stop) ? possible_qgrams_of_ascii(texts + begin, stop - begin, q)
                                                    : possible_qgrams(scratch.kept, windows + q - 1, q);
        i64 count;
        u64 *sketch = sketches + sketch_offsets[i];
        sketch_offsets[i + 1] =
            sketch_offsets[i] + fill_sketch(scratch.keys, windows, possible, &rules, &scratch, sketch, &count);
        counts[i] = counted && count == UNCOUNTED ? distinct(scratch.keys, windows, scratch.table) : count;
        levels[i] = (u8)level_of(stop - begin);
        fill_three_levels(scratch.keys, windows, rules.multipliers[6], levels[i], scratch.chosen,
                          bitmaps + i * BITMAP_LEVELS * BITMAP_WORDS);
    }
    return 0;
}

KERNEL(count_qgrams, "texts u1, offsets i8, which i8, q int, " SCRATCH ", counts i4|u4|i8|u8!") {
    const u8 *texts = a[0].data;
    const i64 *offsets = a[1].data, *which = a[2].data;
    const Arg *rest = a + 4;
    const Scratch scratch = scratch_of(&rest);
    const Arg counts = rest[0];
    for (i64 k = 0; k < a[2].length; k++) {
        const i64 i = which[k];
        const i64 windows = window_keys(texts, offsets[i], offsets[i + 1], a[3].number, &scratch, scratch.keys);
        const i64 count = distinct(scratch.keys, windows, scratch.table);
        if (counts.item == 4)
            ((i32 *)counts.data)[i] = (i32)count;
        else
            ((i64 *)counts.data)[i] = count;
    }
    return 0;
}

KERNEL(key_sets, "texts u1, offsets i8, q int, " SCRATCH ", out u8!, out_offsets i8!") {
    const i64 *offsets = a[1].data;
    const Arg *rest = a + 3;
    const Scratch scratch = scratch_of(&rest);
    u64 *out = rest[0].data;
    i64 *out_offsets = rest[1].data;
    out_offsets[0] = 0;
    for (i64 i = 0; i < a[1].length - 1; i++) {
        u64 *keys = out + out_offsets[i];
        const i64 windows = window_keys(a[0].data, offsets[i], offsets[i + 1], a[2].number, &scratch, keys);
        out_offsets[i + 1] = write_distinct(keys, windows, scratch.table, out, out_offsets[i]);
    }
    return 0;
}

KERNEL(prefix_batch,
       "keys u8, key_offsets i8, classes u1, numerator int, denominator int, slack int, out u8!, out_offsets i8!") {
    const u64 *keys = a[0].data;
    const i64 *key_offsets = a[1].data;
    const i64 numerator = a[3].number, denominator = a[4].number, slack = a[5].number;
    i64 *out_offsets = a[7].data;
    out_offsets[0] = 0;
    for (i64 i = 0; i < a[1].length - 1; i++) {
        const i64 size = key_offsets[i + 1] - key_offsets[i];
        const i64 length = min_i64(size, size - required_overlap(size, numerator, denominator) + slack);
        out_offsets[i + 1] =
            prefix(keys, key_offsets[i], key_offsets[i + 1], a[2].data, length, a[6].data, out_offsets[i]);
    }
    return 0;
}

#endif
