"""From texts to signatures, and doc_q of two texts."""
