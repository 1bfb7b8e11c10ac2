"""Compact fields: a signature as a few short strings, which the analyzers of an index cut into terms, or queries scan.

docs/definitions.md, Compact fields, says how; the plugin's `Signature.toCompactMap` writes the same.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from neardup.elastic.admin.managed_objects import OF_WORDS
from neardup.index.query_batch import POSTED_BITS, posted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from neardup.signing.signature import Keys, Signature

_KEY_BYTES: Final = 8
_QGRAMS_PER_WORD: Final = 32
"""The most q-grams for each 64-bit word of their bitmap."""
_DIGITS: Final = POSTED_BITS // 6
"""How many base64 digits a key has; base64 decodes them in multiples of four."""


def short_names(keys: Sequence[int]) -> list[str]:
    """The terms of sketch keys: the lowest 30 bits of each, five digits of base 64."""
    # A byte in front of each key, so that each key ends with its twelfth digit.
    padded = b"".join(b"\0" + key.to_bytes(_KEY_BYTES, "big") for key in keys)
    digits = base64.urlsafe_b64encode(padded).decode()
    return [digits[at + 12 - _DIGITS : at + 12] for at in range(0, len(digits), 12)]


def named_sketch(keys: Keys) -> str:
    """The terms of sketch keys, separated by single spaces."""
    return " ".join(short_names(keys.tolist()))


def packed_sketch(keys: Keys) -> str:
    """The keys of a sketch in base 64: of each the lowest 30 bits as a number of four bytes, the lowest byte first."""
    return base64.b64encode(posted(keys).astype("<u4").tobytes()).decode()


def unpacked_sketch(packed: str) -> NDArray[np.uint64]:
    """The keys in a packed sketch; raises `ValueError` for anything else."""
    keys = np.frombuffer(base64.b64decode(packed, validate=True), "<u4").astype(np.uint64)
    if (posted(keys) != keys).any():
        raise ValueError(f"packed sketch {packed!r}")
    return keys


def keys_of(names: str) -> NDArray[np.uint64]:
    """The keys of the terms in `names`, the reverse of `named_sketch`; raises `ValueError` for anything else."""
    padded = "".join(f"AAA{name}" for name in names.split())
    values = base64.b64decode(padded, altchars=b"-_", validate=True)
    if len(values) != 6 * (names.count(" ") + 1 if names else 0):
        raise ValueError(f"sketch {names!r}")
    bytes_of_keys = np.frombuffer(values, np.uint8).reshape(-1, 6)[:, 2:]
    return np.ascontiguousarray(bytes_of_keys).view(">u4").astype(np.uint64).ravel()


def qgram_bitmap(keys: Keys) -> str:
    """The bitmap of a set of q-grams, in base 64, from their distinct `keys`: two to three bits for each of them."""
    words = max(-(-len(keys) // _QGRAMS_PER_WORD), 1)
    power = 1 << words.bit_length() - 1
    size = 64 * next(each for each in (power, power + power // 2, 2 * power) if each >= words)
    bits = np.zeros(size, np.bool_)
    bits[(keys >> np.uint64(32)) * np.uint64(size) >> np.uint64(32)] = True
    return base64.b64encode(np.packbits(bits, bitorder="little").tobytes()).decode()


def compact_fields(
    signature: Signature,
    normal_form: str | None,
    qgram_keys: Keys | None = None,
    *,
    scanned: bool = False,
    words: bool = True,
) -> dict[str, Any]:
    """The compact fields of a signature, in the form that is cut into terms or in the one that is `scanned`. Without
    `normal_form` its q-grams are left out, without `qgram_keys` (distinct) their bitmap, without `words` the parts made
    from words.
    """
    cut = {} if normal_form is None else {"qgrams": normal_form}
    mapped = {} if qgram_keys is None else {"qgram_bitmap": qgram_bitmap(qgram_keys)}
    keys = np.array([int(key, 16) for key in signature.sketch], np.uint64)
    sketch = {"packed_sketch": packed_sketch(keys)} if scanned else {"sketch": named_sketch(keys)}
    return {
        "recipe": signature.recipe,
        "fingerprint": signature.fingerprint,
        **cut,
        "qgram_count": signature.qgram_count,
        **mapped,
        **sketch,
        **({name: " ".join(getattr(signature, name)) for name in OF_WORDS} if words else {}),
    }


def sketch_keys(ours: Mapping[str, Any]) -> NDArray[np.uint64]:
    """The sketch keys in the `neardup` object of a document, whatever their form; 64-bit keys if it has a list, else
    their lowest 30 bits.

    Raises `ValueError` for values that are no sketch.
    """
    if (packed := ours.get("packed_sketch")) is not None:
        return unpacked_sketch(packed)
    stored = ours.get("sketch") or ()
    return keys_of(stored) if isinstance(stored, str) else hex_keys(stored)


def hex_keys(values: Sequence[str]) -> NDArray[np.uint64]:
    """Keys from hexadecimal digits, 16 for each key; one string may have several keys."""
    return np.frombuffer(bytes.fromhex("".join(values)), ">u8").astype(np.uint64)


def several(value: str | Sequence[str] | None) -> list[str]:
    """The values of a field, which is a list, or a string of words."""
    return value.split() if isinstance(value, str) else list(value or ())
