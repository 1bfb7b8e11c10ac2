"""`njit` with a cache of compiled kernels that fails to compiling anew, never with an error.

numba ends with an exception where it has no directory for compiled kernels, where one of its files was cut short, and
where a disk is full. Here all of that costs seconds of compiling, and one warning in the log.
"""

from __future__ import annotations

import logging

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from neardup.kernel_cache import ANEW
from neardup.kernels import HOME, SOURCES
from neardup.kernels.inner import IS_KNOWN, WholeCompiler

_log = logging.getLogger("neardup")
_warned: set[str] = set()


def njit(*, cache, **options):
    """`numba.njit`; `cache=True`: compiled once, and kept in the kernels' home (neardup.kernel_cache)."""

    def compiled(function):
        how = {"pipeline_class": WholeCompiler, "no_rewrites": True} if IS_KNOWN else {}
        dispatcher = numba.njit(no_cfunc_wrapper=True, **how, **options)(function)
        if cache:
            dispatcher._cache = _KernelCache(function)  # noqa: SLF001 - what `cache=True` does, with numba's own
        return dispatcher

    return compiled


class _Locator(_CacheLocator):
    """The kernels' home; what lies there was compiled from these very sources, or it is not used."""

    def __init__(self, function):
        self._py_file = function.__code__.co_filename  # by this name numba's own warnings want it
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func, py_file):  # noqa: ARG003 - as numba calls it
        return cls(py_func)

    def get_cache_path(self):
        return str(HOME.path)

    def get_source_stamp(self):
        """Of all kernels: numba would look at the function's own file, and go on using a kernel into which a function
        or a constant of another file, changed since, was compiled.
        """
        return SOURCES

    def get_disambiguator(self):
        return str(self._line)


class _Kept(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # type: ignore[list-item]  # noqa: RUF012 - as numba has it


class _KernelCache(FunctionCache):
    _impl_class = _Kept

    def load_overload(self, sig, target_context):
        """The compiled kernel, or None: it is not there, or what is there cannot be used."""
        try:
            kernel = super().load_overload(sig, target_context)
        except Exception as error:  # noqa: BLE001 - pickle and LLVM raise whatever a damaged file leads them to
            _warn(f"compiled kernels in {HOME.path} cannot be read and are compiled anew ({_reason(error)})")
            self._forget()
            kernel = None
        if kernel is None and not HOME.writable:
            _warn(ANEW)
        return kernel

    def save_overload(self, sig, data):
        """Keep a kernel, if there is room for it."""
        if not HOME.writable:
            return
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn(f"compiled kernels cannot be kept in {HOME.path} ({error.strerror}): {ANEW}")

    def _forget(self):
        """Replaces an index that cannot be read, which would stop every later write as well."""
        try:
            self._cache_file.flush()
        except OSError as error:
            _warn(f"compiled kernels cannot be kept in {HOME.path} ({error.strerror}): {ANEW}")


def _reason(error):
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _warn(message):
    """Once a process and a kind: dozens of kernels meet the same fault."""
    kind = message.partition("(")[0]
    if kind not in _warned:
        _warned.add(kind)
        _log.warning("%s", message)
