package org.neardup.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.elasticsearch.common.breaker.CircuitBreaker;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.ingest.Processor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.neardup.query.MemoryCheck;
import org.neardup.signature.DataFiles;

@DisplayName("The plugin")
class NeardupPluginTest {
    @Test
    @DisplayName("is the class that its descriptor names")
    void descriptor() throws Exception {
        Properties descriptor = new Properties();
        descriptor.load(new StringReader(Files.readString(Path.of(
                System.getProperty("neardup.root"), "plugin/src/main/descriptor/plugin-descriptor.properties"))));
        assertEquals(NeardupPlugin.class.getName(), descriptor.getProperty("classname"));
        assertEquals("neardup", descriptor.getProperty("name"));
    }

    @Test
    @DisplayName("brings the processor neardup, with the lexicons of the node's own settings")
    void processors(@TempDir Path home) throws Exception {
        Path lexicons = Files.createDirectories(home.resolve("config/neardup"));
        Files.write(lexicons.resolve("news.lexicon"), DataFiles.lexicon("news", 4));
        Settings settings = Settings.builder()
                .put("path.home", home.toString())
                .put("node.name", "n")
                .build();

        Map<String, Processor.Factory> brought =
                new NeardupPlugin(settings, home.resolve("config")).getProcessors(null);

        assertEquals(Set.of("neardup"), brought.keySet());
        Map<String, Object> options = new HashMap<>(Map.of("lexicon", "news"));
        NeardupProcessorFactory factory = assertInstanceOf(NeardupProcessorFactory.class, brought.get("neardup"));
        assertNotNull(factory.create(null, null, options));
    }

    /** A plugin on a node with a breaker of this limit, which counts what is {@code held}. */
    private static NeardupPlugin withBreaker(long limit, AtomicLong held) {
        NeardupPlugin plugin =
                new NeardupPlugin(Settings.builder().put("node.name", "n").build(), Path.of("nowhere"));
        plugin.setBreaker((CircuitBreaker) Proxy.newProxyInstance(
                CircuitBreaker.class.getClassLoader(),
                new Class<?>[] {CircuitBreaker.class},
                (breaker, method, arguments) -> switch (method.getName()) {
                    case "getLimit" -> limit;
                    case "getName" -> "request";
                    default -> told(method.getReturnType(), held.addAndGet((long) arguments[0]));
                }));
        return plugin;
    }

    /** In OpenSearch a breaker says how much is held. */
    private static Object told(Class<?> type, long held) {
        return type == double.class ? (Object) (double) held : type == long.class ? held : null;
    }

    @Test
    @DisplayName(
            "holds the memory that signing a long text takes, or cutting one, while it lasts: others come beside it")
    void holdsMemory() {
        AtomicLong held = new AtomicLong();
        NeardupPlugin plugin = withBreaker(100, held);
        assertEquals(99, plugin.new SigningMemory().during(99, held::get));
        assertEquals(0, held.get());
        assertThrows(IllegalStateException.class, () -> plugin.new SigningMemory().during(99, () -> {
            throw new IllegalStateException();
        }));
        assertEquals(0, held.get());
        assertEquals(99, plugin.new QueryMemory().during(99, held::get));
        assertEquals(0, held.get());
    }

    @Test
    @DisplayName("refuses for good, not for now, a text or a search for which no node of this size ever has the memory")
    void neverFits() throws Exception {
        NeardupPlugin plugin = withBreaker(8_000_000, new AtomicLong());
        NeardupProcessorFactory factory = assertInstanceOf(
                NeardupProcessorFactory.class, plugin.getProcessors(null).get("neardup"));
        NeardupProcessor processor = factory.create(null, null, new HashMap<>());

        assertNotNull(Processors.processed(processor, Map.of("text", "rose ".repeat(10_000))));
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> Processors.processed(processor, Map.of("text", "rose ".repeat(10_001))))
                .getMessage();
        assertTrue(message.contains("takes [8000800] bytes, but breaker [request] of node [n] never allows"), message);
        MemoryCheck queries = plugin.new QueryMemory();
        queries.ensure(8_000_000);
        message = assertThrows(IllegalArgumentException.class, () -> queries.ensure(8_000_001))
                .getMessage();
        assertTrue(message.contains("this search takes [8000001] bytes, but breaker [request] of node [n] "), message);
    }
}
