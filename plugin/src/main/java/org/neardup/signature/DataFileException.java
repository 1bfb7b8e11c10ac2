package org.neardup.signature;

/** Says that a data file holds something else than it should, and what to do about it. */
public final class DataFileException extends Exception {
    private static final long serialVersionUID = 1L;

    DataFileException(String file, String found, String expected, String remedy) {
        super(file + ": found " + found + ", expected " + expected + ": " + remedy);
    }
}
