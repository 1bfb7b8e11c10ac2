"""Elasticsearch: the only package that talks to a cluster.

`http` sends requests, `admin` sets up and looks after what lies there, `window` keeps a window in a cluster, `watch`
scores what other clients wrote, `reindex` reads documents out of indices.
"""
