package org.neardup.signature;

import java.util.LinkedHashMap;
import java.util.Map;

/** A signature as the fewest and shortest values that an index is made from (docs/definitions.md, Compact fields). */
final class CompactFields {
    private CompactFields() {}

    /**
     * The fields of {@code signature}, its q-grams as a normal form, unless that is null: where terms are looked up, an
     * analyzer cuts it, and the sketch, into them; where fields are {@code scanned}, the sketch is packed instead, and
     * there is the {@code bitmap} of the q-grams, unless that is null. What is made of words, if the signature has it.
     */
    static Map<String, Object> of(Signature signature, String normalForm, boolean scanned, String bitmap) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(Signature.RECIPE, signature.recipe());
        fields.put(Signature.FINGERPRINT, signature.fingerprint());
        if (normalForm != null) {
            fields.put(Signature.QGRAMS, normalForm);
        }
        fields.put(Signature.QGRAM_COUNT, signature.qgramCount());
        if (bitmap != null) {
            fields.put(Signature.QGRAM_BITMAP, bitmap);
        }
        if (scanned) {
            fields.put(Signature.PACKED_SKETCH, signature.sketch().packed());
        } else {
            fields.put(Signature.SKETCH, signature.sketch().shortDigits());
        }
        if (signature.sentences() != null) {
            fields.put(Signature.SENTENCES, String.join(" ", signature.sentences()));
            fields.put(Signature.SIMHASH, String.join(" ", signature.simhash()));
            fields.put(Signature.SIMHASH_BANDS, String.join(" ", signature.simhashBands()));
        }
        return fields;
    }
}
