package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A simhash")
class SimhashTest {
    private static final Lexicon LEXICON = Lexicon.getDefault();

    private static long hash(String text, long seed) {
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        return XxHash64.hash(data, 0, data.length, seed);
    }

    private static int weight(String word) {
        return LEXICON.weight(LEXICON.wordClass(hash(word, 0)));
    }

    /** Bit by bit and feature by feature, as the definition says. */
    private static String plain(List<String> words, int variant) {
        List<String> kept = words.stream()
                .filter(word -> variant == 0 || Long.compareUnsigned(hash(word, variant), 0xAAAAAAAAAAAAAAAAL) < 0)
                .toList();
        long value = 0;
        for (int bit = 0; bit < 64; bit++) {
            long sum = 0;
            for (int i = 0; i + 1 < kept.size(); i++) {
                int weight = weight(kept.get(i)) + weight(kept.get(i + 1));
                sum += (hash(kept.get(i) + " " + kept.get(i + 1), 0) >>> bit & 1) == 1 ? weight : -weight;
            }
            value |= sum > 0 ? 1L << bit : 0;
        }
        return HexFormat.of().toHexDigits(value);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 10, 129, 130, 131, 259, 1000, 5000})
    @DisplayName("of any number of words is what the definition gives bit by bit, in every variant")
    void plainly(int count) {
        Random random = new Random(count);
        List<String> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // Words that no lexicon knows are the heaviest.
            words.add(random.nextBoolean() ? "the" : "w" + random.nextInt(1_000_000));
        }
        Signature signature = new Signer(new Recipe(4, false, 10, 32, Reach.SIX_TENTHS, null), LEXICON)
                .sign(String.join(" ", words), false);
        for (int variant = 0; variant < 10; variant++) {
            assertEquals(plain(words, variant), signature.simhash().get(variant), "variant " + variant);
        }
    }
}
