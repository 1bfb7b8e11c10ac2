package org.neardup.query;

/** Shortens values for messages, which are repeated for every shard and kept in logs. */
public final class Shown {
    private static final int MOST = 100;

    private Shown() {}

    /** {@code value}, cut after about a hundred characters, but not within a surrogate pair. */
    public static String of(String value) {
        if (value.length() <= MOST) {
            return value;
        }
        return value.substring(0, Character.isHighSurrogate(value.charAt(MOST - 1)) ? MOST - 1 : MOST) + "...";
    }
}
