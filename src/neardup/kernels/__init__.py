"""Compiled kernels: plain arrays in, plain arrays out; nothing here knows of documents, files or windows.

They are written in C, in `native/` beside the package, a file for each module here, and compiled when neardup is
installed. A module here is what its file promises to Python: contracts, and the structures that go in and out. Kernels
run without Python's lock, and each has a slow counterpart in `neardup.oracle` that it is tested against.
"""
