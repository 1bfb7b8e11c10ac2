package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The sources")
class SourcesTest {
    private static final Path PACKAGES = Vectors.ROOT.resolve("plugin/src/main/java/org/neardup");

    @Test
    @DisplayName("of signatures know nothing of Elasticsearch or Lucene, nor of the JVM's own Unicode")
    void plain() throws Exception {
        try (Stream<Path> files = Files.list(PACKAGES.resolve("signature"))) {
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
    @DisplayName("of a package use only those below it: plugin, then query, then signature")
    void packagesPointOneWay() throws Exception {
        Pattern ours = Pattern.compile("\\borg\\.neardup\\.([a-z]+)\\.");
        Map<String, Set<String>> used = new TreeMap<>();
        try (Stream<Path> files = Files.walk(PACKAGES)) {
            for (Path source :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String own = PACKAGES.relativize(source).getName(0).toString();
                Set<String> others = used.computeIfAbsent(own, name -> new TreeSet<>());
                Matcher named = ours.matcher(Files.readString(source));
                while (named.find()) {
                    others.add(named.group(1));
                }
                others.remove(own);
            }
        }
        assertEquals(
                Map.of("plugin", Set.of("query", "signature"), "query", Set.of("signature"), "signature", Set.of()),
                used);
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
