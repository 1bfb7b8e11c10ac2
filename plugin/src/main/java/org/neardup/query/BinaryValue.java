package org.neardup.query;

import org.apache.lucene.util.BytesRef;

/** The only value of a binary field as the server stores it: behind the number of values and the length in bytes. */
final class BinaryValue {
    private BinaryValue() {}

    /**
     * Where the value begins in the bytes of {@code kept}, which it fills to {@link #end}; -1 if that is not one value.
     */
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

    /** The index behind the last byte. */
    static int end(BytesRef kept) {
        return kept.offset + kept.length;
    }
}
