"""Experiments on what is found (every pair, and nothing else) and on the data."""
