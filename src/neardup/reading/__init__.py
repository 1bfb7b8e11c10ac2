"""Why two texts are alike, and what a group of copies tells: for people, after the fact. No window, no files."""
