"""Data files that Python and Java both read: Unicode, lexicons, and the container they lie in."""
