package org.neardup.signature;

/** The lowest threshold that a sketch is made for, and what it samples therefore (docs/definitions.md, Sketch). */
public enum Reach {
    /** Sets of up to 24 q-grams are whole, grams have 2q and 3q - 1 code points. */
    SIX_TENTHS("0.6", 6, 24) {
        @Override
        int[] middle(int q) {
            return new int[] {0, q};
        }

        @Override
        int[] wide(int q) {
            return new int[] {0, q, 2 * q - 1};
        }
    },

    /** Sets of up to 32 q-grams are whole, grams have q + ⌈q / 2⌉ and 2q code points. */
    HALF("0.5", 5, 32) {
        @Override
        int[] middle(int q) {
            return new int[] {0, (q + 1) / 2};
        }

        @Override
        int[] wide(int q) {
            return new int[] {0, q};
        }
    };

    private final String text;
    private final int tenths;
    private final int whole;

    Reach(String text, int tenths, int whole) {
        this.text = text;
        this.tenths = tenths;
        this.whole = whole;
    }

    /** The reach of this decimal number; null if there is none. */
    public static Reach of(String decimal) {
        for (Reach reach : values()) {
            if (reach.text.equals(decimal)) {
                return reach;
            }
        }
        return null;
    }

    /** The decimal number, as recipes have it. */
    @Override
    public String toString() {
        return text;
    }

    /** The size of the largest set that is its own sketch. */
    int whole() {
        return whole;
    }

    /**
     * The size up to which a set is also sampled like sets of up to {@code limit}, because one of these may be its
     * copy.
     */
    int also(int limit) {
        return limit * 10 / tenths;
    }

    /** Where the q-grams of a middle gram begin. */
    abstract int[] middle(int q);

    /** Where the q-grams of a wide gram begin. */
    abstract int[] wide(int q);
}
