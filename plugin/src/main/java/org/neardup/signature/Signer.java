package org.neardup.signature;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Signs texts by one recipe and one lexicon, in time linear in their length. Safe for several threads.
 *
 * <p>Each method throws {@link UnpairedSurrogateException} for a text that has no UTF-8.
 */
public final class Signer {
    /** Code points of the longest text that a node signs, by default. */
    public static final int DEFAULT_MAX_LENGTH = 1_000_000;

    /** The largest value of that limit. */
    public static final int LARGEST_MAX_LENGTH = 10_000_000;

    /** Bytes of memory that signing takes for each character, about. */
    private static final long CHARACTER_BYTES = 100;

    /** Further bytes for each character if the q-grams are a list of strings. */
    private static final long LISTED_BYTES = 60;

    /**
     * The working memory for texts up to this length is kept, about a megabyte a thread; that for longer ones is not.
     */
    public static final int KEPT_LENGTH = 16_384;

    private static final ThreadLocal<Workspace> KEPT = ThreadLocal.withInitial(Workspace::new);

    private final Recipe recipe;
    private final Lexicon lexicon;
    private final Sketch sketch;
    private final String recipeText;

    public Signer(Recipe recipe, Lexicon lexicon) {
        this.recipe = recipe;
        this.lexicon = lexicon;
        sketch = new Sketch(recipe);
        recipeText = recipe.text(lexicon.id());
    }

    /**
     * Bytes of memory that signing {@code text} takes, about, beside what a thread keeps: none for most texts. {@code
     * listed}: its q-grams are a list.
     */
    public static long memory(String text, boolean listed) {
        return text.length() <= KEPT_LENGTH ? 0 : (CHARACTER_BYTES + (listed ? LISTED_BYTES : 0)) * longest(text);
    }

    /** The most characters that signing {@code text} works on: those of its NFC, which may be three for one. */
    public static long longest(String text) {
        return NfcText.longest(text);
    }

    /** The recipe string of everything signed here. */
    public String recipe() {
        return recipeText;
    }

    /**
     * The signature of {@code text}, whose lists belong to the caller; without its q-grams unless {@code withQgrams}.
     */
    public Signature sign(String text, boolean withQgrams) {
        return read(text, work -> signature(work, withQgrams, true));
    }

    /**
     * The {@code parts} of the signature of {@code text} as a few short values (docs/definitions.md, Compact fields),
     * in a map that belongs to the caller.
     */
    public Map<String, Object> compact(String text, Parts parts) {
        return read(text, work -> {
            Signature signature = signature(work, false, parts.words());
            String normalForm = parts.qgrams() ? work.form.toString() : null;
            String bitmap = parts.qgrams() && parts.scanned() ? QGramBitmap.text(work.qgrams) : null;
            return signature.toCompactMap(normalForm, parts.scanned(), bitmap);
        });
    }

    private Signature signature(Workspace work, boolean withQgrams, boolean withWords) {
        work.qgrams.build(work.form, recipe.q());
        List<String> qgrams = withQgrams ? work.qgrams.sorted() : null;
        String fingerprint = work.form.fingerprint();
        SketchKeys keys = sketch.of(work.form, work.qgrams, work.sketching);
        if (!withWords) {
            return new Signature(recipeText, fingerprint, qgrams, work.qgrams.count, keys, null, null, null);
        }
        work.words.build(work.text, lexicon);
        List<String> simhashes = new ArrayList<>(recipe.simhashVariants());
        List<String> bands = new ArrayList<>(4 * recipe.simhashVariants());
        for (int variant = 0; variant < recipe.simhashVariants(); variant++) {
            work.simhash.build(work.words, lexicon, variant);
            String digits = HexFormat.of().toHexDigits(work.simhash.value);
            simhashes.add(digits);
            if (work.simhash.features > 0) {
                addBands(bands, variant, digits);
            }
        }
        List<String> sentences = work.sentences.of(work.words, lexicon);
        return new Signature(recipeText, fingerprint, qgrams, work.qgrams.count, keys, sentences, simhashes, bands);
    }

    /** Four blocks of 16 bits as terms: two simhashes that differ in at most 3 bits share one (Manku et al. 2007). */
    private static void addBands(List<String> bands, int variant, String digits) {
        for (int block = 0; block < 4; block++) {
            bands.add(variant + ":" + block + ":" + digits.substring(4 * block, 4 * block + 4));
        }
    }

    /**
     * Whether {@code fields} are of {@code text}. Checks only the fields by which something is decided without the
     * text: the fingerprint and, in compact fields, normal form, number of q-grams and bitmap. Takes a third of the
     * work of a signature.
     */
    public boolean isOf(String text, Map<?, ?> fields) {
        return read(text, work -> {
            if (!work.form.fingerprint().equals(fields.get(Signature.FINGERPRINT))) {
                return false;
            }
            if (!(fields.get(Signature.QGRAMS) instanceof String form)) {
                return true;
            }
            work.qgrams.build(work.form, recipe.q());
            Object bitmap = fields.get(Signature.QGRAM_BITMAP);
            return work.form.toString().equals(form)
                    && Integer.valueOf(work.qgrams.count).equals(fields.get(Signature.QGRAM_COUNT))
                    && (bitmap == null || QGramBitmap.text(work.qgrams).equals(bitmap));
        });
    }

    /** The normal form of {@code text}. */
    String normalForm(String text) {
        return read(text, work -> work.form.toString());
    }

    /** The keys of the q-grams of {@code text}, each once, in text order. */
    List<String> keys(String text) {
        return read(text, work -> {
            work.qgrams.build(work.form, recipe.q());
            Set<String> keys = new LinkedHashSet<>();
            for (int i = 0; i < work.qgrams.windows; i++) {
                keys.add(HexFormat.of().toHexDigits(work.qgrams.keys[i]));
            }
            return List.copyOf(keys);
        });
    }

    /** The words of {@code text}. */
    List<String> words(String text) {
        return read(text, work -> {
            work.words.build(work.text, lexicon);
            return work.words.toStrings();
        });
    }

    /** The result of {@code use} for a text and its normal form, which are read into working memory. */
    private <T> T read(String text, Function<Workspace, T> use) {
        Workspace work = text.length() <= KEPT_LENGTH ? KEPT.get() : new Workspace();
        work.text.read(text);
        work.form.build(work.text, recipe.foldCase());
        return use.apply(work);
    }

    /** The working memory of one thread at one text. */
    private static final class Workspace {
        final NfcText text = new NfcText();
        final NormalForm form = new NormalForm();
        final QGrams qgrams = new QGrams();
        final Sketch.Scratch sketching = new Sketch.Scratch();
        final WordList words = new WordList();
        final SentenceFingerprints sentences = new SentenceFingerprints();
        final Simhash simhash = new Simhash();
    }
}
