"""neardup."""
