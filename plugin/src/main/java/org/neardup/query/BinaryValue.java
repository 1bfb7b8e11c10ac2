package org.neardup.query;

import org.apache.lucene.util.BytesRef;

/** The one value of a binary field, as the server keeps it: behind how many values there are, and how many bytes it has. */
final class BinaryValue {
    private BinaryValue() {}

    /** Where in the bytes of {@code kept} the value begins, which goes on to {@link #end}; -1 if it is not one value. */
    static int start(BytesRef kept) {
        int at = kept.offset;
        int end = end(kept);
        if (at == end || kept.bytes[at++] != 1) {
            return -1;
        }
        long length = 0;
        for (int shift = 0; at < end && shift < Integer.SIZE; shift += 7) {
            byte part = kept.bytes[at++];
            length |= (long) (part & 0x7F) << shift;
            if (part >= 0) {
                return length == end - at ? at : -1;
            }
        }
        return -1;
    }

    /** Behind the last byte. */
    static int end(BytesRef kept) {
        return kept.offset + kept.length;
    }
}
