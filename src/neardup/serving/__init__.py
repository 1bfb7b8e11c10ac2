"""A window over HTTP: the same questions as from Python, for programs (`/api`) and for people (pages)."""
