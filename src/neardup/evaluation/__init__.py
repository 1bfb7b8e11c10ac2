"""Methods measured against judged pairs: a corpus and a truth in, precision, recall, F1 and costs out."""
