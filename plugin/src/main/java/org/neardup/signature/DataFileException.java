package org.neardup.signature;

/** The error for a data file with wrong contents; the message says what to do about it. */
public final class DataFileException extends Exception {
    private static final long serialVersionUID = 1L;

    DataFileException(String file, String found, String expected, String remedy) {
        super(file + ": found " + found + ", expected " + expected + ": " + remedy);
    }
}
