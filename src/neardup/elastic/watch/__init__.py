"""Scoring what other clients wrote: the documents of a cluster that have no verdict yet, in order of (time, id).

A verdict is in the document itself, so the marks are the checkpoint: whoever starts anew goes on where the last one
ended, and what is wiped is scored again. `neardup watch` does it for the hours of a window, `neardup ingest
--from-index NAME --in-place` for an archive.
"""
