"""Cleaning: which of many texts stay, and which are copies of those; in memory, without hours or a clock."""
