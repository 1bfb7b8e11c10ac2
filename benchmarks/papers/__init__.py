"""The experiments of the papers, each with its data and its tables beside it."""
