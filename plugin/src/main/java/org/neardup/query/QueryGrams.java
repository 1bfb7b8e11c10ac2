package org.neardup.query;

import java.util.List;

/**
 * The q-grams of a query and how they are searched for.
 *
 * @param fingerprints the fingerprints of the normal form, one for each version of the recipe
 * @param blank whether the normal form is empty
 * @param count how many distinct q-grams
 * @param plan how they are searched for; null if there are no q-grams, or more than an index allows
 */
record QueryGrams(List<String> fingerprints, boolean blank, int count, QueryPlan plan) {
    /** Bytes of the object itself, about. */
    private static final long OBJECT_BYTES = 256;

    /** These q-grams with the plan {@code other}. */
    QueryGrams with(QueryPlan other) {
        return new QueryGrams(fingerprints, blank, count, other);
    }

    /** Bytes of memory, about. */
    long weight() {
        return OBJECT_BYTES + (plan == null ? 0 : plan.weight());
    }
}
