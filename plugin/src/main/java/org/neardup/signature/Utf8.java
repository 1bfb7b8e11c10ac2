package org.neardup.signature;

/** Code points to UTF-8. */
final class Utf8 {
    /** Bytes that one code point can take. */
    static final int LONGEST = 4;

    private Utf8() {}

    /** Writes {@code point} to {@code out}; returns the next index. */
    static int encode(int point, byte[] out, int at) {
        if (point < 0x80) {
            out[at] = (byte) point;
            return at + 1;
        }
        if (point < 0x800) {
            out[at] = (byte) (0xC0 | point >> 6);
            out[at + 1] = (byte) (0x80 | point & 0x3F);
            return at + 2;
        }
        if (point < 0x10000) {
            out[at] = (byte) (0xE0 | point >> 12);
            out[at + 1] = (byte) (0x80 | point >> 6 & 0x3F);
            out[at + 2] = (byte) (0x80 | point & 0x3F);
            return at + 3;
        }
        out[at] = (byte) (0xF0 | point >> 18);
        out[at + 1] = (byte) (0x80 | point >> 12 & 0x3F);
        out[at + 2] = (byte) (0x80 | point >> 6 & 0x3F);
        out[at + 3] = (byte) (0x80 | point & 0x3F);
        return at + 4;
    }
}
