package org.neardup.plugin;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.elasticsearch.ingest.AbstractProcessor;
import org.elasticsearch.ingest.IngestDocument;
import org.neardup.query.MemoryCheck;
import org.neardup.signature.Parts;
import org.neardup.signature.Signature;
import org.neardup.signature.Signer;
import org.neardup.signature.UnpairedSurrogateException;

/**
 * Writes the signature of a document's text into the document.
 *
 * <p>Anything else in the target object, such as a verdict, is kept if it is about the same text. Signing twice changes
 * nothing. One processor serves all threads.
 */
final class NeardupProcessor extends AbstractProcessor {
    static final String TYPE = "neardup";

    /** The key, in place of the signature, of the reason why a document was left unsigned. */
    static final String UNSIGNED = "unsigned";

    static final String TOO_LONG = "too_long";

    /** The beginning of a path into the metadata of the pipeline itself. */
    static final String INGEST = "_ingest.";

    /**
     * The keys that a processor writes. A field named "target.key" is removed: an index would take it for that key,
     * too.
     */
    private static final List<String> OWN_KEYS =
            Stream.concat(Signature.KEYS.stream(), Stream.of(UNSIGNED)).toList();

    /** What becomes of a text that is longer than the limit. */
    enum OnTooLong {
        /** The document is refused. */
        FAIL,
        /** It is indexed without a signature, and marked so. */
        MARK
    }

    /**
     * The options of a processor.
     *
     * @param field where the text is
     * @param target where the signature goes
     * @param signer makes it
     * @param parts which parts of the signature are written
     * @param compact whether a few short values are written instead of lists
     * @param ignoreMissing whether a document without the field is left as it is
     * @param maxLength code points of the longest text that is signed
     * @param onTooLong what becomes of a longer one
     */
    record Task(
            String field,
            String target,
            Signer signer,
            Parts parts,
            boolean compact,
            boolean ignoreMissing,
            int maxLength,
            OnTooLong onTooLong) {}

    private final Task task;
    private final MemoryCheck memory;

    /** For the target and for each of its ends behind a dot: the dotted names of {@code OWN_KEYS} below it. */
    private final Map<String, List<String>> dottedKeys = new HashMap<>();

    /** @param memory of the node */
    NeardupProcessor(String tag, String description, Task task, MemoryCheck memory) {
        super(tag, description);
        this.task = task;
        this.memory = memory;
        List<String> names = List.of(NeardupProcessorFactory.bare(task.target()).split("\\."));
        for (int first = 0; first < names.size(); first++) {
            String end = String.join(".", names.subList(first, names.size()));
            dottedKeys.put(end, OWN_KEYS.stream().map(key -> end + "." + key).toList());
        }
    }

    /** The options of this processor. */
    Task task() {
        return task;
    }

    @Override
    public String getType() {
        return TYPE;
    }

    @Override
    public IngestDocument execute(IngestDocument document) {
        Object value = valueOf(document);
        if (value == null && task.ignoreMissing()) {
            return document;
        }
        if (!(value instanceof String text)) {
            String found = value == null
                    ? "is null"
                    : "is of type [" + value.getClass().getName() + "]";
            throw new IllegalArgumentException(
                    "field [" + task.field() + "] " + found + ", not a string: it cannot be signed");
        }
        try {
            if (isTooLong(text)) {
                mark(document, text);
            } else {
                signWithMemory(document, text);
            }
        } catch (UnpairedSurrogateException cause) {
            throw new IllegalArgumentException(
                    "field [" + task.field() + "] cannot be signed: " + cause.getMessage(), cause);
        }
        removeOthers(document);
        return document;
    }

    /** The value of the field, also of one whose name has dots: for an index it is the same field. */
    private Object valueOf(IngestDocument document) {
        Object value = task.field().startsWith(INGEST)
                ? null
                : valueOf(document.getSourceAndMetadata(), NeardupProcessorFactory.bare(task.field()));
        return value != null ? value : document.getFieldValue(task.field(), Object.class, task.ignoreMissing());
    }

    private static Object valueOf(Map<?, ?> object, String path) {
        if (object.containsKey(path)) {
            return object.get(path);
        }
        int dot = path.indexOf('.');
        return dot >= 0 && object.get(path.substring(0, dot)) instanceof Map<?, ?> inner
                ? valueOf(inner, path.substring(dot + 1))
                : null;
    }

    private void removeOthers(IngestDocument document) {
        Map<?, ?> signature = present(document);
        String target = task.target();
        if (target.startsWith(INGEST)) { // the element that a foreach is at lies outside of the source
            removeOthers(document.getIngestMetadata(), target.substring(INGEST.length()), signature);
        } else {
            removeOthers(document.getSourceAndMetadata(), NeardupProcessorFactory.bare(target), signature);
        }
    }

    /**
     * Removes fields at {@code path} from {@code object} that an index would take for parts of {@code signature},
     * because their names have dots.
     */
    private void removeOthers(Map<?, ?> object, String path, Map<?, ?> signature) {
        dottedKeys.get(path).forEach(object::remove);
        if (object.get(path) instanceof Map<?, ?> other && other != signature) {
            other.keySet().removeAll(OWN_KEYS);
        }
        for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
            if (object.get(path.substring(0, dot)) instanceof Map<?, ?> inner) {
                removeOthers(inner, path.substring(dot + 1), signature);
            }
        }
    }

    private boolean isTooLong(String text) {
        // There are at most as many code points as UTF-16 units, and these need not be counted.
        return text.length() > task.maxLength() && text.codePointCount(0, text.length()) > task.maxLength();
    }

    private void mark(IngestDocument document, String text) {
        if (task.onTooLong() == OnTooLong.FAIL) {
            throw new IllegalArgumentException(
                    "field [" + task.field() + "] has " + text.codePointCount(0, text.length())
                            + " characters, the limit [max_length] is " + task.maxLength()
                            + ": raise it, or set [on_too_long] to [mark] to index such documents unsigned");
        }
        present(document); // refuses to replace what is no object
        Map<String, Object> mark = new LinkedHashMap<>();
        mark.put(Signature.RECIPE, task.signer().recipe());
        mark.put(UNSIGNED, TOO_LONG);
        document.setFieldValue(task.target(), mark);
    }

    private void signWithMemory(IngestDocument document, String text) {
        long bytes = Signer.memory(text, task.parts().qgrams() && !task.compact());
        if (bytes == 0) {
            sign(document, text);
        } else {
            memory.during(bytes, () -> {
                sign(document, text);
                return null;
            });
        }
    }

    private void sign(IngestDocument document, String text) {
        Map<?, ?> present = present(document);
        if (isSigned(present) && task.signer().isOf(text, present)) {
            return;
        }
        Map<String, Object> written = task.compact()
                ? task.signer().compact(text, task.parts())
                : task.signer().sign(text, task.parts().qgrams()).toMap();
        Object earlier = present.get(Signature.FINGERPRINT);
        if (earlier == null || earlier.equals(written.get(Signature.FINGERPRINT))) {
            present.forEach((key, kept) -> {
                if (!OWN_KEYS.contains(key)) {
                    written.put((String) key, kept);
                }
            });
        }
        document.setFieldValue(task.target(), written);
    }

    /** The object at the target field; empty if there is none. */
    private Map<?, ?> present(IngestDocument document) {
        Object present = document.getFieldValue(task.target(), Object.class, true);
        if (present == null) {
            return Map.of();
        }
        if (!(present instanceof Map<?, ?> object)) {
            throw new IllegalArgumentException("field [" + task.target() + "] is of type ["
                    + present.getClass().getName()
                    + "], not an object: rename it, or choose another [target_field] for the signature");
        }
        return object;
    }

    /**
     * Whether an object has all that this processor would write, by this recipe; for which text is not checked here.
     */
    private boolean isSigned(Map<?, ?> object) {
        Class<?> several = task.compact() ? String.class : List.class;
        String sketch = task.parts().scanned() ? Signature.PACKED_SKETCH : Signature.SKETCH;
        boolean isMapped = task.parts().scanned() && task.parts().qgrams();
        return areQgramsAsWanted(object)
                && isMapped == (object.get(Signature.QGRAM_BITMAP) instanceof String)
                && task.signer().recipe().equals(object.get(Signature.RECIPE))
                && several.isInstance(object.get(sketch))
                && Signature.OF_WORDS.stream()
                        .allMatch(key ->
                                task.parts().words() ? several.isInstance(object.get(key)) : !object.containsKey(key))
                && !object.containsKey(UNSIGNED);
    }

    private boolean areQgramsAsWanted(Map<?, ?> object) {
        Object qgrams = object.get(Signature.QGRAMS);
        if (!task.parts().qgrams()) {
            return !object.containsKey(Signature.QGRAMS) && object.get(Signature.QGRAM_COUNT) instanceof Integer;
        }
        if (task.compact()) {
            return qgrams instanceof String && object.get(Signature.QGRAM_COUNT) instanceof Integer;
        }
        return qgrams instanceof List<?> list && Integer.valueOf(list.size()).equals(object.get(Signature.QGRAM_COUNT));
    }
}
