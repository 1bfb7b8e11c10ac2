package org.neardup.signature;

/** A data file that holds something else than it should; the message says what to do about it. */
public final class DataFileException extends Exception {
    private static final long serialVersionUID = 1L;

    DataFileException(String file, String found, String expected, String remedy) {
        super(file + ": found " + found + ", expected " + expected + ": " + remedy);
    }
}
