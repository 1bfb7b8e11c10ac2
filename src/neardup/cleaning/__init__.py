"""Cleaning: which of many texts stay, and which are removed as their copies; in memory, without hours or a clock."""
