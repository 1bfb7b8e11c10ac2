package org.neardup.signature;

import java.util.LinkedHashMap;
import java.util.Map;

/** A signature as the fewest and shortest values that an index is made from (docs/definitions.md, Compact fields). */
final class CompactFields {
    private CompactFields() {}

    /**
     * The fields of {@code signature}; of its q-grams the normal form, which an analyzer cuts, unless that is null, and
     * their bitmap, unless that is null.
     */
    static Map<String, Object> of(Signature signature, String normalForm, String bitmap) {
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
        fields.put(Signature.SKETCH, signature.sketch().shortDigits());
        fields.put(Signature.SENTENCES, String.join(" ", signature.sentences()));
        fields.put(Signature.SIMHASH, String.join(" ", signature.simhash()));
        fields.put(Signature.SIMHASH_BANDS, String.join(" ", signature.simhashBands()));
        return fields;
    }
}
