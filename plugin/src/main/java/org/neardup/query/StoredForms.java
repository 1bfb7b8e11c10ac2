package org.neardup.query;

import java.io.IOException;
import org.apache.lucene.index.CodecReader;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.FilterLeafReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.StoredFieldVisitor;
import org.apache.lucene.index.StoredFields;

/**
 * The normal forms of a segment's documents, as their field stores them. For one thread.
 *
 * <p>A reader keeps the block that it has unpacked last, of some hundred documents, which saves work if the next
 * documents are in the same block. But a search may have thousands of clauses at once, so a clause that reads few
 * normal forms keeps no reader.
 */
final class StoredForms {
    /** After reading this many normal forms, a clause keeps its reader. */
    private static final int READ_UNKEPT = 8;

    /** Bytes of a block, about: twice what Elasticsearch packs at once. */
    private static final long BLOCK_BYTES = 1 << 19;

    private final LeafReader reader;
    private final String field;
    private final MemoryCheck memory;
    private StoredFields kept;
    private int read;

    /** @param field a field that {@code reader} does not hide */
    StoredForms(LeafReader reader, String field, MemoryCheck memory) {
        this.reader = reader;
        this.field = field;
        this.memory = memory;
    }

    /**
     * The normal form of a document; null if it has none. Of a document that has a list of q-grams, all of them,
     * separated by a character that is in no normal form: so cutting them makes no further q-gram that another document
     * has.
     */
    String of(int doc) throws IOException {
        StoredFields stored = kept == null ? open() : kept;
        if (++read == READ_UNKEPT) {
            memory.ensure(BLOCK_BYTES);
            kept = stored;
        }
        Form form = new Form();
        stored.document(doc, form);
        return form.value == null ? null : form.value.toString();
    }

    /** Opens the stored fields as merges do. */
    private StoredFields open() throws IOException {
        return FilterLeafReader.unwrap(reader) instanceof CodecReader whole
                ? whole.getFieldsReader().getMergeInstance()
                : reader.storedFields();
    }

    private final class Form extends StoredFieldVisitor {
        private CharSequence value;

        @Override
        public Status needsField(FieldInfo info) {
            if (info.name.equals(field)) {
                return Status.YES;
            }
            return value == null ? Status.NO : Status.STOP;
        }

        @Override
        public void stringField(FieldInfo info, String text) {
            if (value == null) {
                value = text;
                return;
            }
            StringBuilder all = value instanceof StringBuilder several ? several : new StringBuilder(value);
            value = all.append(' ').append(text);
        }
    }
}
