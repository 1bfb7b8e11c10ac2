package org.neardup.query;

import java.io.IOException;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.common.io.stream.Writeable;

/**
 * The parameters of one query.
 *
 * @param field the object of a document that holds its signature
 * @param like the text or document whose copies are to be found
 * @param threshold of doc_q
 * @param ignoreUnmapped whether an index without the fields of a signature has no matches, instead of being an error
 */
record QueryParams(String field, LikeSource like, Threshold threshold, boolean ignoreUnmapped) implements Writeable {
    static QueryParams read(StreamInput in, MemoryCheck memory) throws IOException {
        return new QueryParams(in.readString(), LikeSource.read(in, memory), Threshold.read(in), in.readBoolean());
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
        out.writeString(field);
        like.writeTo(out);
        threshold.writeTo(out);
        out.writeBoolean(ignoreUnmapped);
    }

    /** These parameters with another text or document. */
    QueryParams with(LikeSource other) {
        return new QueryParams(field, other, threshold, ignoreUnmapped);
    }

    /** The full name of a field of the signature, as documents are mapped. */
    String fieldOf(String key) {
        return field + "." + key;
    }
}
