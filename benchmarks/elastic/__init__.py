"""Experiments with a real Elasticsearch node of their own."""
