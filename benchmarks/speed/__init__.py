"""Time and memory of the embedded engine, by itself and beside others."""
