"""Data files that Python and Java both read: Unicode, rank tables, lexicons, and the container they lie in."""
