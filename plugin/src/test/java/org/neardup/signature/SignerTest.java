package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A signer")
class SignerTest {
    private final Signer signer = new Signer(Recipe.DEFAULT, Lexicon.getDefault());

    @Test
    @DisplayName("gives the example of the documentation")
    void example() {
        Signature signature = signer.sign("A rose is a flower", true);
        assertEquals(11, signature.qgramCount());
        assertEquals("Aros", signature.qgrams().get(0));
    }

    @Test
    @DisplayName("of several threads gives each what it gives alone")
    void threads() throws Exception {
        List<String> texts = Vectors.all().map(Vectors.Vector::text).toList();
        List<Signature> alone =
                texts.stream().map(text -> signer.sign(text, true)).toList();
        Threads.run(8, thread -> {
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < texts.size(); i++) {
                order.add(i);
            }
            Collections.shuffle(order, new Random(thread));
            return () -> {
                for (int i : order) {
                    assertEquals(alone.get(i), signer.sign(texts.get(i), true));
                }
                return null;
            };
        });
    }

    @Test
    @DisplayName("signs texts longer than the working memory that is kept, between others")
    void longText() {
        String sentence = "It was the best of times, it was the worst of times. ";
        Signature before = signer.sign(sentence, true);
        Signature large = signer.sign(sentence.repeat(10_000), true);
        // One more shingle and a few q-grams over the seams, and no sentence that is not in the first.
        assertEquals(before.sentences(), large.sentences());
        assertEquals(before, signer.sign(sentence, true));
        assertEquals(before.qgramCount() + 3, large.qgramCount());
    }

    @Test
    @DisplayName("needs no more than linear time for texts made to be hard")
    void hardTexts() {
        List<String> hard = List.of(
                "a".repeat(1_000_000),
                "ab ".repeat(300_000),
                "\u4E00\u3002".repeat(300_000),
                "x y z. ".repeat(150_000),
                "\uD801\uDC00b".repeat(300_000),
                "\n".repeat(1_000_000),
                "\u1161".repeat(300_000),
                "a\u0301\u0323".repeat(300_000));
        for (String text : hard) {
            assertTimeout(Duration.ofSeconds(60), () -> signer.sign(text, true));
        }
    }

    @Test
    @DisplayName("counts the memory that a text takes by the characters that its NFC has, three of some")
    void memory() {
        assertEquals(100 * 20_000, Signer.memory("a".repeat(20_000), false));
        assertEquals(100 * 20_000, Signer.memory("\uD55C".repeat(20_000), false));
        assertEquals(3 * 100 * 20_000, Signer.memory("\uFB2C".repeat(20_000), false));
        assertEquals(60_000, signer.normalForm("\uFB2C".repeat(20_000)).length());
        assertEquals(4 * 100 * 10_000, Signer.memory("\uD834\uDD60".repeat(10_000), false));
        assertEquals(160 * 20_000, Signer.memory("a".repeat(20_000), true));
        assertEquals(0, Signer.memory("\uFB2C".repeat(Signer.KEPT_LENGTH), false));
    }

    @Test
    @DisplayName("leaves q-grams out when they are not asked for")
    void withoutQgrams() {
        Signature signature = signer.sign("A rose is a flower", false);
        assertNull(signature.qgrams());
        assertEquals(11, signature.qgramCount());
        assertFalse(signature.toMap().containsKey(Signature.QGRAMS));
    }

    @Test
    @DisplayName("refuses a text with an unpaired surrogate, and signs the next")
    void surrogate() {
        assertThrows(UnpairedSurrogateException.class, () -> signer.sign("abc\uD800", true));
        assertThrows(UnpairedSurrogateException.class, () -> signer.isOf("abc\uD800", Map.of()));
        assertEquals(11, signer.sign("A rose is a flower", true).qgramCount());
    }
}
