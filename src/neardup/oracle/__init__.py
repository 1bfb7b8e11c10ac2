"""The definitions, slow and plain, in pure Python: what every kernel is tested against."""
