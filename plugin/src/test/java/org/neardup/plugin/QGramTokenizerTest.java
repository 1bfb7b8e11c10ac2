package org.neardup.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.elasticsearch.common.settings.Settings;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The tokenizer")
class QGramTokenizerTest {
    private static List<String> cut(Settings settings, String form) throws Exception {
        List<String> qgrams = new ArrayList<>();
        try (Tokenizer tokenizer = QGramTokenizer.of("mine", settings).create()) {
            CharTermAttribute term = tokenizer.addAttribute(CharTermAttribute.class);
            tokenizer.setReader(new StringReader(form));
            tokenizer.reset();
            while (tokenizer.incrementToken()) {
                qgrams.add(term.toString());
            }
            tokenizer.end();
        }
        return qgrams;
    }

    private static Settings of(int least, int most) {
        return Settings.builder().put("min_gram", least).put("max_gram", most).build();
    }

    @Test
    @DisplayName("cuts at every code point; what is shorter than q has none")
    void cuts() throws Exception {
        assertEquals(List.of("Aros", "rose"), cut(Settings.EMPTY, "Arose"));
        assertEquals(List.of("a\uD83C\uDF27", "\uD83C\uDF27b"), cut(of(2, 2), "a\uD83C\uDF27b"));
        assertEquals(List.of(), cut(of(4, 4), "abc"));
        assertEquals(List.of(), cut(of(4, 4), ""));
        assertEquals(100_000 - 15, cut(of(16, 16), "x".repeat(100_000)).size());
    }

    @Test
    @DisplayName("refuses limits that differ")
    void limits() {
        for (Settings wrong : List.of(of(3, 4), of(0, 0))) {
            String message = assertThrows(IllegalArgumentException.class, () -> QGramTokenizer.of("mine", wrong))
                    .getMessage();
            assertTrue(message.contains("both must be q"), message);
        }
    }
}
