"""A batch of texts to normal forms, sketches and bitmaps, which a decision needs, in one call (native/signing.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neardup.kernels.sketch import SketchRules
    from neardup.tables.unicode import UnicodeTable

_sign_batch = Kernel("sign_batch")
_count_qgrams = Kernel("count_qgrams")
_key_sets = Kernel("key_sets")
_prefix_batch = Kernel("prefix_batch")


class Scratch(NamedTuple):
    """Working memory for texts of up to s bytes; one per thread.

    points                4 · s + 4: code points before and in normalization
    kept                  4 · s + 4: code points of a normal form
    keys, grams, chosen   s + 1: keys of q-grams and of grams
    table, others         slots of open-addressing tables, a power of two of 4 · s or more
    seen                  a flag for each slot of `table`, and one more
    ascii, positions      as many slots as `table`: q-grams of an ASCII text, and their positions (native/common_runs.h)
    """

    points: NDArray[np.uint32]
    kept: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    grams: NDArray[np.uint64]
    chosen: NDArray[np.uint64]
    table: NDArray[np.uint64]
    others: NDArray[np.uint64]
    seen: NDArray[np.uint8]
    ascii: NDArray[np.uint32]
    positions: NDArray[np.int32]


def sign_batch(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    normal: bool,
    counted: bool,
    q: int,
    fold: bool,
    tables: UnicodeTable,
    rules: SketchRules,
    scratch: Scratch,
    out: tuple[NDArray[Any], ...],
) -> None:
    """Fills `out`, the arrays of a `SignedBatch` except its fingerprints, from n texts.

    data, offsets   uint8, int64 n + 1: text i, UTF-8, is `data[offsets[i]:offsets[i + 1]]`
    normal          the texts are normal forms already and are used as they are (the normal form of a normal form may
                    differ: it composes a letter with a mark that a space stood between)
    counted         |A| is wanted for all texts
    q, fold         length of a q-gram; whether case is folded
    tables, rules   UnicodeTable (tables/unicode.py), SketchRules (kernels/sketch.py)
    scratch         Scratch for the longest of the texts, and for the code points of its normal form (MAX_POINTS)
    out             `texts` with room for all normal forms, `sketches` for the longest sketch of each; offsets n + 1

    Linear in the texts. The set of q-grams of a text is built only if it must be: that costs half as much as all the
    rest, and few documents ever have to be verified.
    """
    _sign_batch(data, offsets, normal, counted, q, fold, tables, rules, scratch, out)


def count_qgrams(
    texts: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    which: NDArray[np.int64],
    q: int,
    scratch: Scratch,
    counts: NDArray[Any],
) -> None:
    """Sets `counts[i]` (integers of 32 or 64 bits) to |A| of the normal form `texts[offsets[i]:offsets[i + 1]]` for i
    in `which`.

    scratch   Scratch for the longest of the texts
    """
    _count_qgrams(texts, offsets, which, q, scratch, counts)


def key_sets(
    texts: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    q: int,
    scratch: Scratch,
    out: NDArray[np.uint64],
    out_offsets: NDArray[np.int64],
) -> None:
    """Writes the distinct keys of every normal form `texts[offsets[i]:offsets[i + 1]]` to `out`, one after another.

    out, out_offsets   one longer than `texts`, and n + 1
    scratch            Scratch for the longest of the texts
    """
    _key_sets(texts, offsets, q, scratch, out, out_offsets)


def prefix_batch(
    keys: NDArray[np.uint64],
    key_offsets: NDArray[np.int64],
    classes: NDArray[np.uint8],
    ratio: tuple[int, int],
    slack: int,
    out: NDArray[np.uint64],
    out_offsets: NDArray[np.int64],
) -> None:
    """Writes to `out`, for every key set, the prefix that a lossless search at t needs.

    keys, key_offsets   the key sets, and n + 1 offsets
    classes             frequency class by q-gram slot
    ratio               t, as numerator and denominator
    out, out_offsets    as long as `keys`, and n + 1

    The prefix is the |A| - ceil(t · |A|) + `slack` rarest keys: two sets with doc_q >= t share at least min(slack,
    ceil(t · |A|)) of them.
    """
    _prefix_batch(keys, key_offsets, classes, ratio, slack, out, out_offsets)
