package org.neardup.signature;

import java.util.List;

/**
 * The set A of a text: its distinct q-grams as their own characters.
 *
 * @param fingerprints those of the normal form, one for each version of the recipe; of a signed document only its own
 * @param blank whether the normal form is empty: nothing is a copy of it
 * @param qgrams by code point; none if the normal form is shorter than q
 */
public record QGramSet(List<String> fingerprints, boolean blank, List<String> qgrams) {
    private static final int CLASSES = 256;

    /** The fingerprints of the empty normal form. */
    private static final List<String> OF_NOTHING = fingerprints(new NormalForm());

    /** The set of {@code text}; an {@link UnpairedSurrogateException} if it has no UTF-8. */
    public static QGramSet of(String text, QGramRecipe recipe) {
        NfcText composed = new NfcText();
        composed.read(text);
        NormalForm form = new NormalForm();
        form.build(composed, recipe.foldCase());
        return new QGramSet(fingerprints(form), form.count == 0, qgrams(form, recipe.q()));
    }

    private static List<String> fingerprints(NormalForm form) {
        return List.of(form.fingerprint(), form.firstFingerprint());
    }

    /** The distinct q-grams of a normal form that is there already, by code point. */
    public static List<String> cut(String normalForm, int q) {
        NormalForm form = new NormalForm();
        form.take(normalForm);
        return qgrams(form, q);
    }

    private static List<String> qgrams(NormalForm form, int q) {
        QGrams qgrams = new QGrams();
        qgrams.build(form, q);
        return qgrams.sorted();
    }

    /** The set of a document that has been signed. */
    public static QGramSet signed(String fingerprint, List<String> qgrams) {
        return new QGramSet(List.of(fingerprint), OF_NOTHING.contains(fingerprint), qgrams);
    }

    /**
     * The q-grams, rarest first: those that {@code lexicon} does not know, then by its frequency classes, ties by code
     * point. A lexicon of another q knows none.
     */
    public List<String> rarestFirst(Lexicon lexicon) {
        int q = qgrams.isEmpty()
                ? 0
                : qgrams.get(0).codePointCount(0, qgrams.get(0).length());
        if (lexicon.q() != q) {
            return qgrams;
        }
        byte[] classes = lexicon.qgramClasses();
        int[] bucket = new int[qgrams.size()];
        int[] next = new int[CLASSES + 1];
        for (int i = 0; i < bucket.length; i++) {
            // 255, unknown, becomes 0.
            bucket[i] = classes[(int) (QGrams.key(qgrams.get(i)) >>> Lexicon.QGRAM_SLOT_SHIFT)] + 1 & 0xFF;
            next[bucket[i] + 1]++;
        }
        for (int i = 1; i <= CLASSES; i++) {
            next[i] += next[i - 1];
        }
        String[] ordered = new String[bucket.length];
        for (int i = 0; i < bucket.length; i++) {
            ordered[next[bucket[i]]++] = qgrams.get(i);
        }
        return List.of(ordered);
    }
}
