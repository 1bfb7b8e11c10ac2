package org.neardup.signature;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A signature as the fewest and shortest values that an index is made from (docs/definitions.md, Compact fields). */
final class CompactFields {
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    private static final int DIGIT_BITS = 6;
    private static final int KEY_DIGITS = 5;

    private CompactFields() {}

    /** The fields of {@code signature}; of its q-grams the normal form, which an analyzer cuts, unless that is null. */
    static Map<String, Object> of(Signature signature, String normalForm) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(Signature.RECIPE, signature.recipe());
        fields.put(Signature.FINGERPRINT, signature.fingerprint());
        if (normalForm != null) {
            fields.put(Signature.QGRAMS, normalForm);
        }
        fields.put(Signature.QGRAM_COUNT, signature.qgramCount());
        fields.put(Signature.SKETCH, shortKeys(signature.sketch()));
        fields.put(Signature.SENTENCES, String.join(" ", signature.sentences()));
        fields.put(Signature.SIMHASH, String.join(" ", signature.simhash()));
        fields.put(Signature.SIMHASH_BANDS, String.join(" ", signature.simhashBands()));
        return fields;
    }

    /** Of keys of 16 hex digits the lowest 30 bits, each as five digits of base 64, one space between two. */
    private static String shortKeys(List<String> keys) {
        StringBuilder text = new StringBuilder((KEY_DIGITS + 1) * keys.size());
        for (String key : keys) {
            if (!text.isEmpty()) {
                text.append(' ');
            }
            int low = Integer.parseUnsignedInt(key, 8, 16, 16);
            for (int i = KEY_DIGITS - 1; i >= 0; i--) {
                text.append(DIGITS.charAt(low >>> DIGIT_BITS * i & DIGITS.length() - 1));
            }
        }
        return text.toString();
    }
}
