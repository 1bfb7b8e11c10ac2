"""Shared by several experiments: options and results, corpora, brute force, edits, contenders, a generated stream."""
