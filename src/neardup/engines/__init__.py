"""Where signatures live and candidates are found: one contract (base.py), one module an engine."""
