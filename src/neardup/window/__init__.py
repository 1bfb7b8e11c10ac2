"""A window: documents of the last hours, and what is a copy of what. One contract, one engine over any store."""
