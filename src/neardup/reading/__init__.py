"""Explains to people, after the fact, why two texts are alike and what a group of copies shows. No window, no files."""
