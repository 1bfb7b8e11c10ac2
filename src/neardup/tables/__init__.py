"""Data files that Python and Java both read: Unicode, lexicons, and their container format."""
