package org.neardup.query;

import java.util.function.Function;
import org.elasticsearch.plugins.SearchPlugin.QuerySpec;
import org.neardup.signature.Lexicon;

/** The query {@code neardup}, as a plugin offers it. */
public final class NeardupQuery {
    private NeardupQuery() {}

    /**
     * What a node has to know of it.
     *
     * @param lexicons the lexicon of a name (null: the standard one), or another where it is not there: it only orders
     * @param room the memory of the node
     */
    public static QuerySpec<?> spec(Function<String, Lexicon> lexicons, Room room) {
        QGramSets sets = new QGramSets(lexicons, room);
        return new QuerySpec<>(
                NeardupQueryBuilder.NAME,
                in -> new NeardupQueryBuilder(in, sets),
                parser -> NeardupQueryBuilder.parse(parser, sets));
    }
}
