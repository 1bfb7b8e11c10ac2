package org.neardup.query;

import java.io.IOException;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.common.io.stream.Writeable;

/**
 * What a query asks.
 *
 * @param field the object of a document that holds its signature
 * @param like what copies are sought of
 * @param threshold of doc_q
 * @param ignoreUnmapped whether an index without the fields of a signature has no answer, instead of being an error
 */
record Question(String field, Like like, Threshold threshold, boolean ignoreUnmapped) implements Writeable {
    static Question read(StreamInput in) throws IOException {
        return new Question(in.readString(), Like.read(in), Threshold.read(in), in.readBoolean());
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
        out.writeString(field);
        like.writeTo(out);
        threshold.writeTo(out);
        out.writeBoolean(ignoreUnmapped);
    }

    /** The same about another thing. */
    Question with(Like other) {
        return new Question(field, other, threshold, ignoreUnmapped);
    }

    /** The full name of a part of the signature, as documents are mapped. */
    String part(String key) {
        return field + "." + key;
    }
}
