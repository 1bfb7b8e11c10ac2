package org.neardup.query;

/** What a message shows of a value: it is said once for every shard, and kept in logs. */
public final class Shown {
    private static final int MOST = 100;

    private Shown() {}

    /** {@code value}; of one of more than a hundred characters the first ones, and no half of one. */
    public static String of(String value) {
        if (value.length() <= MOST) {
            return value;
        }
        return value.substring(0, Character.isHighSurrogate(value.charAt(MOST - 1)) ? MOST - 1 : MOST) + "...";
    }
}
