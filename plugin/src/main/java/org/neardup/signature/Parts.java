package org.neardup.signature;

/**
 * Which parts of a signature are written.
 *
 * @param qgrams the q-grams themselves, as a list or as a normal form
 * @param scanned whether compact fields have the form that queries scan (a packed sketch, and a bitmap of the q-grams),
 *     not the one that is cut into terms
 * @param words the parts made from words: sentence fingerprints and simhashes
 */
public record Parts(boolean qgrams, boolean scanned, boolean words) {}
