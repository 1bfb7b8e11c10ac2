"""Where rows, texts and keys of a window are kept: one contract (base.py), one module a store."""
