/**
 * Signatures of texts, equal to the bit to those of the Python package (its normative page: {@code neardup.oracle}).
 *
 * <p>The path of a text: {@link org.neardup.signature.Signer} hands it to {@code NfcText}, that to {@code NormalForm}
 * and {@code WordList}; from these come the q-grams, the sketch, the sentence fingerprints and the simhashes. Nothing
 * here knows Elasticsearch, the running JVM's Unicode tables, or its logarithms: what is not exact arithmetic is read
 * from data files that both languages share.
 */
package org.neardup.signature;
