package org.neardup.query;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("How an index is signed")
class IndexSigningTest {
    @Test
    @DisplayName("is known from its first segment that says what the mapping does")
    void firstIsEnough() throws IOException {
        try (Directory directory = new ByteBuffersDirectory()) {
            IndexWriterConfig each = new IndexWriterConfig().setMergePolicy(NoMergePolicy.INSTANCE);
            try (IndexWriter writer = new IndexWriter(directory, each)) {
                for (String recipe : List.of("another", "stated", "third", "stated")) {
                    Document document = new Document();
                    document.add(new StringField("recipe", recipe, Field.Store.NO));
                    writer.addDocument(document);
                    writer.commit();
                }
            }
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                List<String> read = new ArrayList<>();
                Set<String> found = IndexSigning.recipes(reader, "recipe", false, recipe -> {
                    read.add(recipe);
                    return recipe.equals("stated");
                });
                assertEquals(List.of("another", "stated"), read);
                assertEquals(Set.of("another", "stated"), found);
                assertEquals(
                        Set.of("another", "stated", "third"),
                        IndexSigning.recipes(reader, "recipe", true, recipe -> false));
            }
        }
    }
}
