package org.neardup.query;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.elasticsearch.common.ParsingException;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.common.io.stream.Writeable;
import org.elasticsearch.xcontent.ToXContentObject;
import org.elasticsearch.xcontent.XContentBuilder;
import org.elasticsearch.xcontent.XContentLocation;
import org.elasticsearch.xcontent.XContentParser;

/** The text or document whose copies are to be found. */
sealed interface LikeSource extends Writeable, ToXContentObject {
    String TEXT = "text";
    String INDEX = "_index";
    String ID = "_id";
    String ROUTING = "routing";
    String EXPECTED = "an object: {\"text\": \"...\"} or {\"_index\": \"...\", \"_id\": \"...\"}";

    /** A text, whose q-grams each node takes by the recipe of its indices. */
    record Text(String text) implements LikeSource {
        @Override
        public void writeTo(StreamOutput out) throws IOException {
            out.writeByte((byte) 0);
            out.writeString(text);
        }

        @Override
        public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
            return builder.startObject().field(TEXT, text).endObject();
        }
    }

    /** A document that is still to be fetched; {@code index} may be an alias, {@code routing} null. */
    record Reference(String index, String id, String routing) implements LikeSource {
        @Override
        public void writeTo(StreamOutput out) throws IOException {
            out.writeByte((byte) 1);
            out.writeString(index);
            out.writeString(id);
            out.writeOptionalString(routing);
        }

        @Override
        public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
            builder.startObject().field(INDEX, index).field(ID, id);
            if (routing != null) {
                builder.field(ROUTING, routing);
            }
            return builder.endObject();
        }

        @Override
        public String toString() {
            return "[" + Shown.of(id) + "] in [" + Shown.of(index) + "]";
        }
    }

    /**
     * A fetched document, which itself is no match.
     *
     * @param qgrams several q-grams, or one string from which they are cut: the normal form, which may be the only
     *     q-gram
     */
    record Document(Reference reference, String recipe, String fingerprint, List<String> qgrams) implements LikeSource {
        /** The normal form that the q-grams are cut from; null if they are there already. */
        String uncut() {
            return qgrams.size() == 1 ? qgrams.get(0) : null;
        }

        /** Bytes of memory, about. */
        long weight() {
            return qgrams.size() == 1 ? 2L * uncut().length() : QueryPlan.QGRAM_BYTES * qgrams.size();
        }

        @Override
        public void writeTo(StreamOutput out) throws IOException {
            out.writeByte((byte) 2);
            reference.writeTo(out);
            out.writeString(recipe);
            out.writeString(fingerprint);
            out.writeStringCollection(qgrams);
        }

        @Override
        public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
            return reference.toXContent(builder, params);
        }
    }

    /** Reads what another node has written; {@code memory}: the memory of this node. */
    static LikeSource read(StreamInput in, MemoryCheck memory) throws IOException {
        byte kind = in.readByte();
        return switch (kind) {
            case 0 -> new Text(in.readString());
            case 1 -> new Reference(in.readString(), in.readString(), in.readOptionalString());
            case 2 -> {
                Document document = new Document(
                        (Reference) read(in, memory), in.readString(), in.readString(), qgrams(in, memory));
                memory.ensure(document.weight()); // before the next one: a search may have thousands of them
                yield document;
            }
            default -> throw new IOException("[like] of a kind not known here: " + kind);
        };
    }

    private static List<String> qgrams(StreamInput in, MemoryCheck memory) throws IOException {
        int count = in.readVInt();
        memory.ensure(QueryPlan.QGRAM_BYTES * count);
        String[] qgrams = new String[count];
        for (int i = 0; i < count; i++) {
            qgrams[i] = in.readString();
        }
        return List.of(qgrams);
    }

    /** Reads the value at which {@code parser} is. */
    static LikeSource parse(XContentParser parser) throws IOException {
        XContentLocation where = parser.getTokenLocation();
        if (parser.currentToken() != XContentParser.Token.START_OBJECT) {
            boolean isArray = parser.currentToken() == XContentParser.Token.START_ARRAY;
            String given = isArray ? "an array" : "[" + Shown.of(String.valueOf(parser.textOrNull())) + "]";
            throw new ParsingException(where, "[like] is " + given + ": it must be " + EXPECTED);
        }
        Map<String, Object> given = parser.map();
        for (Map.Entry<String, Object> entry : given.entrySet()) {
            if (!List.of(TEXT, INDEX, ID, ROUTING).contains(entry.getKey())) {
                throw new ParsingException(
                        where, "[like] has the key [" + Shown.of(entry.getKey()) + "]: it must be " + EXPECTED);
            }
            if (!(entry.getValue() instanceof String)) {
                String shown = Shown.of(String.valueOf(entry.getValue()));
                throw new ParsingException(
                        where, "[like." + entry.getKey() + "] is [" + shown + "]: it must be a string");
            }
        }
        String text = (String) given.get(TEXT);
        String index = (String) given.get(INDEX);
        String id = (String) given.get(ID);
        boolean byText = text != null && given.size() == 1;
        if (!byText && (text != null || index == null || id == null)) {
            throw new ParsingException(where, "[like] has the keys " + given.keySet() + ": it must be " + EXPECTED);
        }
        if (!byText && index.chars().allMatch(character -> character == ',')) {
            throw new ParsingException(
                    where, "[like._index] is [" + Shown.of(index) + "]: it must name an index"); // empty is all
        }
        if (!byText && id.isEmpty()) {
            throw new ParsingException(where, "[like._id] is []: it must name a document");
        }
        String routing = (String) given.get(ROUTING);
        boolean isRouted = routing != null && !routing.isEmpty(); // empty is none, as in indexing
        return byText ? new Text(text) : new Reference(index, id, isRouted ? routing : null);
    }
}
