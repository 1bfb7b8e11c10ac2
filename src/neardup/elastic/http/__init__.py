"""Requests to a cluster: addresses, one request, bulk writes, documents by name; what a refusal means."""
