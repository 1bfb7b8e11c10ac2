package org.neardup.plugin;

import java.util.Map;
import java.util.function.Function;
import org.elasticsearch.ElasticsearchException;
import org.elasticsearch.ingest.ConfigurationUtils;
import org.neardup.query.Shown;

/**
 * Reads a processor's options, and takes them out of its configuration as Elasticsearch expects.
 *
 * <p>Values keep their JSON types: {@code "4"} is no number. A wrong value is an error that names the option, the value
 * and what it must be.
 */
final class OptionReader {
    private final String tag;
    private final Map<String, Object> configuration;

    OptionReader(String tag, Map<String, Object> configuration) {
        this.tag = tag;
        this.configuration = configuration;
    }

    /** A whole number from {@code low} to {@code high}. */
    int whole(String option, int defaultValue, int low, int high) {
        Object value = configuration.remove(option);
        if (value == null) {
            return defaultValue;
        }
        boolean whole = value instanceof Integer || value instanceof Long;
        long number = whole ? ((Number) value).longValue() : 0;
        if (!whole || number < low || number > high) {
            throw wrong(option, value, "a whole number from " + low + " to " + high);
        }
        return (int) number;
    }

    /** Whether the option is there and not null. */
    boolean isGiven(String option) {
        return configuration.get(option) != null;
    }

    /** The result of {@code known} for the decimal digits of a number; a number with the result null is wrong. */
    <T> T number(String option, T defaultValue, Function<String, T> known, String expected) {
        Object value = configuration.remove(option);
        if (value == null) {
            return defaultValue;
        }
        T found = value instanceof Number ? known.apply(value.toString()) : null;
        if (found == null) {
            throw wrong(option, value, expected);
        }
        return found;
    }

    /** {@code true} or {@code false}. */
    boolean flag(String option, boolean defaultValue) {
        Object value = configuration.remove(option);
        if (value == null) {
            return defaultValue;
        }
        if (!(value instanceof Boolean flag)) {
            throw wrong(option, value, "true or false, without quotes");
        }
        return flag;
    }

    /** A string that is not empty; null if none is given and there is no default. */
    String text(String option, String defaultValue) {
        Object value = configuration.remove(option);
        if (value == null) {
            return defaultValue;
        }
        if (!(value instanceof String text) || text.isEmpty()) {
            throw wrong(option, value, "a string that is not empty");
        }
        return text;
    }

    /** The error for an option of this value, which must be something else. */
    ElasticsearchException wrong(String option, Object value, String expected) {
        String whole = Shown.of(String.valueOf(value));
        String shown = value instanceof String ? "\"" + whole + "\"" : whole;
        return failure(option, "is " + shown + ": it must be " + expected);
    }

    /** An error that begins with the option's name. */
    ElasticsearchException failure(String option, String reason) {
        return ConfigurationUtils.newConfigurationException(NeardupProcessor.TYPE, tag, option, reason);
    }
}
