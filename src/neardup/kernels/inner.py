"""`inner`: functions that only kernels call, compiled as parts of these and never on their own.

numba optimises every function with all that it calls, makes machine code of it and two ways in from Python, and does so
again for each that calls it. Here a function is optimised where it is linked in, once for each kernel that Python
calls: more than half of the time of compiling is saved. That is done by what numba keeps to itself, so with a numba
newer than was tried every function is compiled as numba does it.
"""

from __future__ import annotations

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

NEWEST_TRIED = (0, 68)
IS_KNOWN = numba.version_info.short <= NEWEST_TRIED
"""Whether numba is one of those that this was tried with."""


class _Library(JITCodeLibrary):
    """Code that is optimised all together, when everything is linked: function by function first gains nothing."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout  # noqa: SLF001 - what numba's own does beside optimising


class _PartLibrary(_Library):
    """Code that is never run by itself: there is nothing to finish."""

    def finalize(self):
        self._finalized = True


class _WholeLibrary(_Library):
    """Code of a kernel with all its parts, those of its parts included."""

    def finalize(self):
        self._linking_libraries = _with_parts(self._linking_libraries)
        super().finalize()


def _with_parts(libraries):
    """The libraries, those that are parts followed by what they in turn are to be linked with; each once."""
    kept, waiting = {}, list(reversed(libraries))
    while waiting:
        library = waiting.pop()
        if library not in kept:
            kept[library] = True
            if isinstance(library, _PartLibrary):
                waiting.extend(reversed(library._linking_libraries))  # noqa: SLF001
    return list(kept)


def _begin_library(state, kind):
    """As numba's lowering does it where it finds none."""
    state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    state.library.enable_object_caching()


class WholeCompiler(Compiler):
    """numba's compiler, for a kernel that Python calls; `numba.njit(pipeline_class=WholeCompiler)`."""

    def define_pipelines(self):  # noqa: D102 - numba's
        _begin_library(self.state, _WholeLibrary)
        return super().define_pipelines()


class _PartCompiler(Compiler):
    def define_pipelines(self):
        _begin_library(self.state, _PartLibrary)
        self.state.flags.no_compile = True  # to machine code
        return super().define_pipelines()


class _Part(CPUDispatcher):
    def __init__(self, py_func, locals=None, targetoptions=None, pipeline_class=_PartCompiler):
        super().__init__(py_func, locals or {}, targetoptions or {}, pipeline_class)
        self._alone = None

    def add_overload(self, cres):
        """Kernels find it by a key of its own, as it has no address; Python is not told of it."""
        cres = cres._replace(entry_point=object())
        self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres

    def _compile_for_args(self, *args, **kws):
        """Called from Python, by tests: compiled for them, and not kept."""
        if self._alone is None:
            self._alone = numba.njit(nogil=True, pipeline_class=WholeCompiler)(self.py_func)
        return self._alone._compile_for_args(*args, **kws)  # noqa: SLF001


_OPTIONS = {
    "nopython": True,
    "nogil": True,
    "boundscheck": None,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "no_rewrites": True,
}


def inner(function):
    """`function` for other kernels to call; no kernel of Python's own, which `caching.njit` makes."""
    if numba.config.DISABLE_JIT:
        return function
    if not IS_KNOWN:
        return numba.njit(nogil=True)(function)
    return _Part(function, targetoptions=_OPTIONS)
