"""What several experiments share: options and results, corpora, brute force, edits, contenders, a generated stream."""
