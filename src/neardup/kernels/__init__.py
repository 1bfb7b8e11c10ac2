"""Compiled kernels: plain arrays in, plain arrays out; nothing here knows of documents, files or windows.

The kernels are written in C, in `native/` beside the package, one file for each module here, and compiled when neardup
is installed. A module here states the contract of its C file, and defines the structures that are passed in and out.
Kernels run without Python's lock, and each is tested against a slow counterpart in `neardup.oracle`.
"""
