"""What is found, and what the data is like: every pair, and nothing else."""
