package org.neardup.signature;

/**
 * Which parts of a signature are written.
 *
 * @param qgrams the q-grams themselves, as a list or as a normal form
 * @param scanned of compact fields, what queries scan (a packed sketch, and a bitmap of the q-grams), and not what is cut
 *     into terms
 * @param words what is made of words: sentence fingerprints and simhashes
 */
public record Parts(boolean qgrams, boolean scanned, boolean words) {}
