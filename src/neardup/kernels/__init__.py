"""Compiled kernels: plain arrays in, plain arrays out; nothing here knows of documents, files or windows.

Every kernel is compiled by numba on first use and cached beside the package (or in numba's user cache when that
directory is read-only), releases the GIL, and has a slow counterpart in `neardup.oracle` that it is tested against.
Importing this package costs the import of numba, so nothing that must start quickly imports it.
"""
