"""Experiments on the whole engine. Each module has a header (question, corpus, seed, excluded) and a tiny size.

`python -m benchmarks` runs all of them; README.md has the figures.
"""
