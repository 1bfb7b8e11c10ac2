"""A window over HTTP, with the same queries as from Python: for programs (`/api`) and for people (pages)."""
