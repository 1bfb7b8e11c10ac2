"""A window whose documents and verdicts lie in a cluster, and whose index is in this process."""
