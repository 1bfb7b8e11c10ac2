"""The inverted index of a window in memory: who may be a copy, and who is one, exactly."""
