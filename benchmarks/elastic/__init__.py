"""Experiments, each with its own real Elasticsearch node."""
