package org.neardup.signature;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.elasticsearch.common.xcontent.XContentHelper;
import org.elasticsearch.xcontent.json.JsonXContent;

/** The test vectors that every implementation of neardup reads ({@code tests/vectors/README.md}). */
final class Vectors {
    /** The root of the project, wherever Maven was started. */
    static final Path ROOT =
            Path.of(System.getProperty("neardup.root")).toAbsolutePath().normalize();

    private Vectors() {}

    /** One text and what it must give. */
    record Vector(String kind, Map<String, Object> values) {
        String text() {
            return (String) values.get("text");
        }

        Recipe recipe() {
            String salt = (String) values.get("salt");
            return new Recipe(
                    (int) values.get("q"),
                    (boolean) values.get("fold_case"),
                    (int) values.get("simhash_variants"),
                    (int) values.get("sketch_size"),
                    Reach.of((String) values.get("reach")),
                    salt == null ? null : Salt.of(salt.getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public String toString() {
            return kind + ": " + values.get("name");
        }
    }

    /** The vector files by the name before their ending. */
    static List<String> kinds() {
        try (Stream<Path> files = Files.list(ROOT.resolve("tests/vectors"))) {
            return files.map(path -> path.getFileName().toString())
                    .filter(name -> name.endsWith(".jsonl"))
                    .map(name -> name.substring(0, name.length() - ".jsonl".length()))
                    .sorted()
                    .toList();
        } catch (IOException cause) {
            throw new UncheckedIOException(cause);
        }
    }

    /** The vectors of one file. */
    static List<Vector> of(String kind) {
        Path file = ROOT.resolve("tests/vectors").resolve(kind + ".jsonl");
        try (Stream<String> lines = Files.lines(file, StandardCharsets.US_ASCII)) {
            return lines.map(line -> new Vector(kind, expandedValues(parsed(line))))
                    .toList();
        } catch (IOException cause) {
            throw new UncheckedIOException(cause);
        }
    }

    static Stream<Vector> all() {
        return kinds().stream().flatMap(kind -> of(kind).stream());
    }

    private static Map<String, Object> parsed(String line) {
        return XContentHelper.convertToMap(JsonXContent.jsonXContent, line, true);
    }

    private static Map<String, Object> expandedValues(Map<String, Object> values) {
        Map<String, Object> expanded = new LinkedHashMap<>();
        values.forEach((key, value) -> expanded.put(key, expanded(value)));
        return expanded;
    }

    /** A value with every {"repeat": [unit, times]} written out. */
    private static Object expanded(Object value) {
        if (value instanceof Map<?, ?> map) {
            List<?> repeat = (List<?>) map.get("repeat");
            return ((String) repeat.get(0)).repeat((int) repeat.get(1));
        }
        return value instanceof List<?> list
                ? list.stream().map(Vectors::expanded).collect(Collectors.toList())
                : value;
    }
}
