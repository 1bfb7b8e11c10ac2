"""The compiled kernels: finds their library, and calls them with numpy arrays, numbers and tuples of these.

Every kernel declares its parameters (`KERNEL` in native/core.h), and every call is checked against the declaration: an
array of another type would be misread. A call runs without Python's lock; it costs a few microseconds, so kernels take
batches.
"""

from __future__ import annotations

import ctypes
import os
from importlib import import_module
from pathlib import Path
from struct import Struct
from typing import Any, Final, NamedTuple

import numpy as np

from neardup.errors import KernelsUnusable

LIBRARIES: Final = Path(__file__).parent / "lib"
LEVEL_VARIABLE: Final = "NEARDUP_CPU_LEVEL"
LEVELS: Final = ("1", "3", "4")
"""The processor levels that libraries exist for; the best is used, unless the environment variable names another."""
_REMEDY: Final = "install neardup again (in a checkout: `python native/compile_kernels.py`)"
_NO_MEMORY: Final = -(1 << 63)
_BAD_ARGUMENT: Final = _NO_MEMORY + 1
_MOST_ARGUMENTS: Final = 64
_HEADER: Final = object.__basicsize__
"""Bytes of the header of a Python object: the fields of a numpy array follow it."""
_MASK: Final = (1 << 64) - 1
_SIGN: Final = 1 << 63
_FLOAT, _FLOAT_BITS = Struct("=d"), Struct("=q")


class _Parameter(NamedTuple):
    """A parameter as a kernel declares it. `sizes`: bytes of a value for each dtype that the array may have; empty for
    a number, real or whole.
    """

    name: str
    sizes: dict[np.dtype[Any], int]
    kind: str
    is_real: bool


class Kernel:
    """One kernel: called with the arguments that its module documents, structures as tuples. Returns the kernel's
    number.

    Raises `TypeError` for an argument that the kernel does not take, `MemoryError` if it found no memory.
    """

    def __init__(self, name: str) -> None:
        try:
            self._function = _LIBRARY[f"neardup_{name}"]
        except AttributeError as error:
            raise KernelsUnusable(f"the compiled kernels have no {name}: {_REMEDY}") from error
        self.name = name
        self._parameters = [_parameter(part) for part in _text(f"neardup_{name}_parameters").split(", ")]
        self._kinds = "".join(each.kind for each in self._parameters).encode() + b" "
        self._pack = Struct(f"={2 * len(self._parameters)}q").pack
        self._function.restype = ctypes.c_int64
        self._function.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int64]

    def __call__(self, *arguments: Any) -> int:  # noqa: D102 - the class says it
        flat: list[Any] = []
        _flatten(arguments, flat)
        if len(flat) != len(self._parameters):
            raise TypeError(f"kernel {self.name} takes {len(self._parameters)} arguments, not {len(flat)}")
        words: list[int] = []
        for (_, sizes, _, is_real), value in zip(self._parameters, flat, strict=True):
            if not sizes:
                words += (_real(value) if is_real else _whole(value), 0)
                continue
            size = sizes.get(value.dtype) if isinstance(value, np.ndarray) else None
            if size is None:
                raise TypeError(self._refusal(len(words) // 2, value))
            words += (id(value), size)
        result: int = self._function(self._pack(*words), self._kinds, _HEADER)
        if result <= _BAD_ARGUMENT + _MOST_ARGUMENTS:
            if result == _NO_MEMORY:
                raise MemoryError(f"no memory for the kernel {self.name}")
            at = result - _BAD_ARGUMENT
            raise TypeError(self._refusal(at, flat[at]))
        return result

    def _refusal(self, at: int, value: Any) -> str:
        parameter, sizes, kind, _ = self._parameters[at]
        wanted = " or ".join(map(str, sizes))
        if not isinstance(value, np.ndarray):
            return f"kernel {self.name}: {parameter} must be an array of {wanted}, not {type(value).__name__}"
        if value.dtype in sizes and kind == "w" and not value.flags.writeable:
            return f"kernel {self.name} writes to {parameter}, which is read-only"
        order = "" if value.flags.c_contiguous else " that is not contiguous"
        return f"kernel {self.name}: {parameter} must be a contiguous array of {wanted}, not of {value.dtype}{order}"


def function_of(module: str, name: str) -> ctypes._NamedFuncPointer | None:
    """The C function `name` of the library behind the Python `module`; None if there is none, or it is not exported."""
    try:
        function: ctypes._NamedFuncPointer = getattr(ctypes.CDLL(import_module(module).__file__), name)
    except (ImportError, AttributeError, OSError):
        return None
    return function


def address_of(function: ctypes._NamedFuncPointer) -> int | None:
    """The address of a C function, for a kernel that calls it."""
    return ctypes.cast(function, ctypes.c_void_p).value


def library_path() -> Path:
    """The path of the library for this processor, or of that which the environment names. Raises `KernelsUnusable`."""
    best = str(_loaded(LIBRARIES / "kernels-1.so").neardup_level())
    level = os.environ.get(LEVEL_VARIABLE) or best
    if level not in LEVELS or level > best:
        at_most = ", ".join(each for each in LEVELS if each <= best)
        raise KernelsUnusable(f"{LEVEL_VARIABLE} is {level!r}: this processor has {at_most}")
    return LIBRARIES / f"kernels-{level}.so"


def _loaded(path: Path) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise KernelsUnusable(f"the compiled kernels cannot be loaded ({error}): {_REMEDY}") from error


def _text(name: str) -> str:
    """A text that the library exports: the symbol `name` is the characters themselves, not a pointer to them."""
    return ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(_LIBRARY, name))).decode()


def _flatten(arguments: tuple[Any, ...], flat: list[Any]) -> None:
    """Appends `arguments` to `flat`, replacing tuples by their items."""
    for argument in arguments:
        if isinstance(argument, tuple):
            _flatten(argument, flat)
        else:
            flat.append(argument)


def _real(value: Any) -> int:
    """The bits of a real number as a signed 64-bit integer."""
    bits: int = _FLOAT_BITS.unpack(_FLOAT.pack(value))[0]
    return bits


def _whole(value: Any) -> int:
    """The low 64 bits of a whole number as a signed integer."""
    whole = int(value)
    if -_SIGN <= whole < _SIGN:
        return whole
    bits = whole & _MASK
    return bits - ((bits >> 63) << 64)


def _parameter(declared: str) -> _Parameter:
    """A parameter from its declaration in `KERNEL`: 'name type' (native/core.h)."""
    name, kind = declared.split(" ")
    if kind in {"int", "float"}:
        return _Parameter(name, {}, "n", kind == "float")
    types = [np.dtype(part) for part in kind.rstrip("!/").split("|")]
    letter = "w" if "!" in kind else "s" if "/" in kind else "r"
    return _Parameter(name, {each: each.itemsize for each in types}, letter, is_real=False)


def _check_layout() -> None:
    """Raises `KernelsUnusable` if numpy does not lay out arrays as kernels read them."""
    array = np.arange(12, dtype=np.uint16).reshape(3, 4)[:, :2]
    fields = (ctypes.c_int64 * 5)()
    _LIBRARY.neardup_layout(ctypes.c_void_p(id(array)), ctypes.c_int64(_HEADER), fields)
    contiguous, writeable = array.flags.c_contiguous, array.flags.writeable
    if list(fields) != [array.ctypes.data, 3, 2, array.strides[0], 2 * writeable + contiguous]:
        raise KernelsUnusable(f"numpy {np.__version__} lays out arrays in a way that neardup does not know")


_LIBRARY: Final = _loaded(library_path())
_check_layout()
_LIBRARY.neardup_keep_secret(ctypes.c_uint64(int.from_bytes(os.urandom(8), "little")))
SOURCES: Final = _text("neardup_sources")
"""The hash of the sources that the library was compiled from."""
