"""The inverted index of a window in memory: candidates of a document, and their exact overlaps with it."""
