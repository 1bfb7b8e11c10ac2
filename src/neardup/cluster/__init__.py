"""Elasticsearch, from outside: addresses, requests, bulk writes, templates, roll-over.

Nothing else of the package talks HTTP, and only `client.py` imports `elasticsearch`. What is looked for and how it is
scored is the business of the engine (`engines/elastic/`).
"""
