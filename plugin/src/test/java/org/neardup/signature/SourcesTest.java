package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The sources")
class SourcesTest {
    @Test
    @DisplayName("of signatures know nothing of Elasticsearch or Lucene, nor of the JVM's own Unicode")
    void plain() throws Exception {
        Path directory = Vectors.ROOT.resolve("plugin/src/main/java/org/neardup/signature");
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> sources = files.toList();
            assertTrue(sources.size() > 10);
            Pattern foreign = Pattern.compile(
                    "org\\.elasticsearch|org\\.apache|Normalizer\\.normalize|Character\\.(getType|isLetter|toLowerCase)"
                            + "|\\.toLowerCase\\(|Math\\.(log|exp|pow)");
            for (Path source : sources) {
                Matcher found = foreign.matcher(Files.readString(source));
                assertTrue(!found.find(), () -> source.getFileName() + " has " + found.group());
            }
        }
    }

    @Test
    @DisplayName("have the version of the Python package")
    void version() throws Exception {
        String python = Files.readString(Vectors.ROOT.resolve("src/neardup/version.py"));
        Matcher version = Pattern.compile("VERSION = \"(.+)\"").matcher(python);
        assertTrue(version.find());
        assertEquals(version.group(1), System.getProperty("neardup.version"));
    }
}
