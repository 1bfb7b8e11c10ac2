"""Documents out of indices that are there: read, continued after a stop, and whether their hours fit a window."""
