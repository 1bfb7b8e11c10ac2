package org.neardup.signature;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything neardup computes from one text; 64-bit values as 16 hex digits, most significant first.
 *
 * @param recipe how it was made
 * @param fingerprint equal for equal normal forms
 * @param qgrams the distinct q-grams as their own characters, by code point; null if they are left out
 * @param qgramCount how many they are
 * @param sketch keys of grams, its parts one behind the other, each ascending
 * @param sentences sentence fingerprints in text order, each once; null, as the next two, if the parts made from words
 *     are left out
 * @param simhash one a variant
 * @param simhashBands {@code variant:block:hhhh}, four a variant that has features
 */
public record Signature(
        String recipe,
        String fingerprint,
        List<String> qgrams,
        int qgramCount,
        SketchKeys sketch,
        List<String> sentences,
        List<String> simhash,
        List<String> simhashBands) {

    /** The object of a document that holds its signature, where nothing else is said. */
    public static final String DEFAULT_FIELD = "neardup";

    public static final String RECIPE = "recipe";
    public static final String FINGERPRINT = "fingerprint";
    public static final String QGRAMS = "qgrams";
    public static final String QGRAM_COUNT = "qgram_count";
    /** Of the compact fields alone. */
    public static final String QGRAM_BITMAP = "qgram_bitmap";

    public static final String SKETCH = "sketch";
    /** Of the compact fields alone. */
    public static final String PACKED_SKETCH = "packed_sketch";

    public static final String SENTENCES = "sentences";
    public static final String SIMHASH = "simhash";
    public static final String SIMHASH_BANDS = "simhash_bands";

    /** The keys of the parts made from words. */
    public static final List<String> OF_WORDS = List.of(SENTENCES, SIMHASH, SIMHASH_BANDS);

    /** All keys that {@link #toMap} and the compact fields can have, in their order. */
    public static final List<String> KEYS = List.of(
            RECIPE,
            FINGERPRINT,
            QGRAMS,
            QGRAM_COUNT,
            QGRAM_BITMAP,
            SKETCH,
            PACKED_SKETCH,
            SENTENCES,
            SIMHASH,
            SIMHASH_BANDS);

    /** Plain values under the names that Python's {@code Signature.to_dict} has; what is indexed. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put(RECIPE, recipe);
        map.put(FINGERPRINT, fingerprint);
        if (qgrams != null) {
            map.put(QGRAMS, qgrams);
        }
        map.put(QGRAM_COUNT, qgramCount);
        map.put(SKETCH, sketch.digits());
        map.put(SENTENCES, sentences);
        map.put(SIMHASH, simhash);
        map.put(SIMHASH_BANDS, simhashBands);
        return map;
    }

    /**
     * The compact fields, the fewest and shortest values that an index is made from (docs/definitions.md, Compact
     * fields). The q-grams are a normal form, unless that is null. Where terms are looked up, an analyzer cuts the
     * normal form and the sketch into terms; where fields are {@code scanned}, the sketch is packed instead, and there
     * is the {@code bitmap} of the q-grams, unless that is null. The parts made from words are there if the signature
     * has them.
     */
    Map<String, Object> toCompactMap(String normalForm, boolean scanned, String bitmap) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put(RECIPE, recipe);
        map.put(FINGERPRINT, fingerprint);
        if (normalForm != null) {
            map.put(QGRAMS, normalForm);
        }
        map.put(QGRAM_COUNT, qgramCount);
        if (bitmap != null) {
            map.put(QGRAM_BITMAP, bitmap);
        }
        if (scanned) {
            map.put(PACKED_SKETCH, sketch.packed());
        } else {
            map.put(SKETCH, sketch.shortDigits());
        }
        if (sentences != null) {
            map.put(SENTENCES, String.join(" ", sentences));
            map.put(SIMHASH, String.join(" ", simhash));
            map.put(SIMHASH_BANDS, String.join(" ", simhashBands));
        }
        return map;
    }
}
