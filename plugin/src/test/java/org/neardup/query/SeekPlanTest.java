package org.neardup.query;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A plan of seeking")
class SeekPlanTest {
    private static final List<String> THRESHOLDS =
            List.of("0.000001", "0.3", "0.333333", "0.5", "0.7", "0.9", "0.999999", "1");

    private static List<String> grams(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> String.format("g%04d", i))
                .toList();
    }

    private static List<String> shuffled(List<String> grams, Random random) {
        List<String> order = new ArrayList<>(grams);
        Collections.shuffle(order, random);
        return order;
    }

    @RepeatedTest(20)
    @DisplayName("finds everyone with doc_q >= t by its prefix: the prefix argument")
    void prefix(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        int reached = 0;
        for (int round = 0; round < 200; round++) {
            List<String> a = shuffled(grams(1 + random.nextInt(round % 10 == 0 ? 600 : 60)), random);
            Threshold threshold = Threshold.parse(THRESHOLDS.get(random.nextInt(THRESHOLDS.size())));
            SeekPlan plan = new SeekPlan(a, threshold, 1 + random.nextInt(120));
            Set<String> b = new HashSet<>(shuffled(a, random).subList(0, random.nextInt(a.size() + 1)));
            int more = random.nextInt(3) == 0 ? random.nextInt(a.size() + 2) : random.nextInt(3);
            for (int i = 0; i < more; i++) {
                b.add("other" + i);
            }
            int shared = (int) a.stream().filter(b::contains).count();
            int larger = Math.max(a.size(), b.size());
            boolean copy = (long) shared * threshold.denominator() >= (long) threshold.numerator() * larger;
            assertEquals(copy, shared >= plan.required(b.size()));
            if (copy) {
                reached++;
                assertTrue(plan.reachable(b.size()));
                int inPrefix = (int) IntStream.range(0, plan.end(0))
                        .filter(index -> b.contains(plan.term(index).utf8ToString()))
                        .count();
                assertTrue(inPrefix >= plan.least(), inPrefix + " of " + plan + ", least " + plan.least());
            }
        }
        assertTrue(reached > 20, "only " + reached);
    }

    @Test
    @DisplayName("has a prefix that is no longer than it must be: one shared q-gram fewer is not enough for t")
    void shortest() {
        for (String text : THRESHOLDS) {
            for (int size : new int[] {1, 2, 10, 99, 100, 101, 333, 1000}) {
                SeekPlan plan = new SeekPlan(grams(size), Threshold.parse(text));
                assertTrue(plan.least() >= 1 && plan.least() <= SeekPlan.COMPLETE_SHARED);
                assertEquals(plan.required(1), size - plan.end(0) + plan.least());
            }
        }
    }

    @Test
    @DisplayName("seeks every q-gram once: in stages, each of them by byte, the rarest in the first")
    void stages() {
        Random random = new Random(2);
        for (int size : new int[] {1, 2, 7, 100, 101, 500, 3000}) {
            for (String text : THRESHOLDS) {
                for (int shared : new int[] {1, 3, SeekPlan.COMPLETE_SHARED}) {
                    List<String> order = shuffled(grams(size), random);
                    SeekPlan plan = new SeekPlan(order, Threshold.parse(text), shared);
                    assertEquals(size, plan.size());
                    assertEquals(size, plan.end(plan.stages() - 1));
                    int start = 0;
                    for (int stage = 0; stage < plan.stages(); stage++) {
                        int end = plan.end(stage);
                        assertTrue(end > start);
                        BytesRef[] expected = order.subList(start, end).stream()
                                .map(BytesRef::new)
                                .sorted()
                                .toArray(BytesRef[]::new);
                        BytesRef[] actual =
                                IntStream.range(start, end).mapToObj(plan::term).toArray(BytesRef[]::new);
                        assertArrayEquals(expected, actual);
                        start = end;
                    }
                }
            }
        }
    }

    @Test
    @DisplayName("has its stages double, so that there are few of them")
    void few() {
        assertTrue(new SeekPlan(grams(5000), Threshold.parse("1"), 1).stages() <= 14);
        int[] widths = widths(new SeekPlan(grams(2000), Threshold.parse("0.7")));
        assertArrayEquals(new int[] {700, 100, 200, 400, 600}, widths);
    }

    private static int[] widths(SeekPlan plan) {
        return IntStream.range(0, plan.stages())
                .map(stage -> plan.end(stage) - (stage == 0 ? 0 : plan.end(stage - 1)))
                .toArray();
    }

    @Test
    @DisplayName("orders q-grams by byte, which is by code point, not by the halves of those above U+FFFF")
    void astral() {
        List<String> order = List.of("\uD801\uDC00bcd", "\uFF21bcd", "abcd", "\uD7A3bcd");
        SeekPlan plan = new SeekPlan(order, Threshold.parse("0.3"));
        List<String> expected = List.of("abcd", "\uD7A3bcd", "\uFF21bcd", "\uD801\uDC00bcd");
        assertArrayEquals(new int[] {4}, widths(plan));
        assertEquals(
                expected,
                IntStream.range(0, 4)
                        .mapToObj(index -> plan.term(index).utf8ToString())
                        .toList());
    }

    @Test
    @DisplayName("says which numbers of q-grams can reach t, one by one and from one to another")
    void reachable() {
        for (String text : THRESHOLDS) {
            Threshold threshold = Threshold.parse(text);
            for (int size : new int[] {1, 2, 5, 10, 23}) {
                SeekPlan plan = new SeekPlan(grams(size), threshold);
                boolean[] one = new boolean[60];
                for (int other = 0; other < one.length; other++) {
                    // At best the smaller set lies in the larger one.
                    one[other] = (long) Math.min(size, other) * threshold.denominator()
                            >= (long) threshold.numerator() * Math.max(size, other);
                    assertEquals(one[other], plan.reachable(other), text + ": " + size + " and " + other);
                }
                for (int low = 0; low < one.length; low++) {
                    for (int high = low; high < one.length; high++) {
                        boolean any = IntStream.rangeClosed(low, high).anyMatch(other -> one[other]);
                        assertEquals(
                                any, plan.reachable(low, high), text + ": " + size + " and " + low + " to " + high);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 1L << 31, 1L << 62, Long.MAX_VALUE})
    @DisplayName("reaches no document that says it has a number of q-grams which none can have")
    void impossible(long other) {
        for (String text : THRESHOLDS) {
            assertFalse(new SeekPlan(grams(10), Threshold.parse(text)).reachable(other), text);
        }
    }

    @Test
    @DisplayName("equals one of the same q-grams and threshold")
    void equality() {
        Threshold threshold = Threshold.parse("0.7");
        SeekPlan plan = new SeekPlan(grams(300), threshold);
        assertEquals(plan, new SeekPlan(grams(300), Threshold.parse("0.70")));
        assertEquals(plan.hashCode(), new SeekPlan(grams(300), threshold).hashCode());
        assertNotEquals(plan, new SeekPlan(grams(301), threshold));
        assertNotEquals(plan, new SeekPlan(grams(300), Threshold.parse("0.71")));
        assertNotEquals(plan, null);
    }
}
