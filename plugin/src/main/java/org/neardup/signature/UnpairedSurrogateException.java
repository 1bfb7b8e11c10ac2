package org.neardup.signature;

/** A text with a surrogate without its other half: it has no UTF-8, and so no signature. */
public final class UnpairedSurrogateException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** @param position code points before it */
    UnpairedSurrogateException(int unit, int position) {
        super(String.format("text has the unpaired surrogate U+%04X at position %d", unit, position));
    }
}
