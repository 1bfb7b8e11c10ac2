"""The Elasticsearch engine: documents and verdicts in a cluster, the index of the window in this process."""
