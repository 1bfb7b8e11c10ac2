"""Signer: signs texts by one recipe, in batches or one by one (docs/definitions.md, Signature).

`sign` makes a whole signature, equal to the bit to that of `neardup.oracle.definitions` and of the Elasticsearch
plugin. `Signer` works on batches, and makes only what a decision needs; sentences and simhashes have a method of their
own.
"""

from __future__ import annotations

import functools
import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from neardup.errors import SettingsError
from neardup.kernels.bitmap_filter import LEVELS
from neardup.kernels.bitmap_filter import WORDS as BITMAP_WORDS
from neardup.kernels.digests import sha256_halves
from neardup.kernels.qgrams import window_keys
from neardup.kernels.signing import Scratch, count_qgrams, key_sets, prefix_batch, sign_batch
from neardup.kernels.sketch import UNCOUNTED
from neardup.kernels.text import MAX_GROWTH, most_points
from neardup.kernels.words import sign_words_batch, word_hashes
from neardup.model.document import text_argument
from neardup.model.settings import COMPLETE_SHARED, Recipe, Settings
from neardup.signing.recipe_tables import RecipeTables
from neardup.signing.signature import Signature, SignedBatch, WordFeatures, concatenated, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.signing.signature import Bytes, Keys, Offsets

log = logging.getLogger("neardup")

_SETS_AT_ONCE: Final = 32
"""How many key sets are built before their prefixes are taken: few enough to fit a cache and reuse memory."""
_KEPT_BYTES: Final = 1_260_000
"""Working arrays are kept between calls for normal forms of up to this many bytes, and texts of up to two thirds of
that: the arrays for one text of 10 MB take 600 MB.
"""
LEAST_SECRET: Final = 16
"""The fewest bytes of a salt that cannot be found by trying all values."""


class _Memory(threading.local):
    """The working arrays of one thread, kept between calls and replaced if a text is too long for them."""

    size = 0
    scratch: Scratch | None = None

    def for_bytes(self, size: int) -> Scratch:
        """Arrays for texts of up to `size` bytes; kept for the next call unless they are large."""
        if size > _KEPT_BYTES:
            return _new_scratch(size)
        if self.scratch is None or size > self.size:
            self.size = max(2 * size, 65_536)
            self.scratch = _new_scratch(self.size)
        return self.scratch


def _new_scratch(size: int) -> Scratch:
    """Working arrays for `size` bytes. The system gives memory only to the parts that are written to."""
    slots = 1 << (4 * size - 1).bit_length()
    return Scratch(
        points=np.empty(4 * size + 4, np.uint32),
        kept=np.empty(4 * size + 4, np.uint32),
        keys=np.empty(size + 1, np.uint64),
        grams=np.empty(size + 1, np.uint64),
        chosen=np.empty(size + 1, np.uint64),
        table=np.empty(slots, np.uint64),
        others=np.empty(slots, np.uint64),
        seen=np.empty(slots + 1, np.uint8),
        ascii=np.empty(slots, np.uint32),
        positions=np.empty(slots, np.int32),
    )


class Signer:
    """Signs by one recipe. Safe to call from several threads at once; making one reads the lexicon (5 MB of memory)."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._tables = tables = RecipeTables(recipe)
        self.lexicon, self.text, self.counted = tables.lexicon, tables.text, tables.counted
        self._memory = _Memory()

    def __reduce__(self) -> tuple[Callable[[Recipe], Signer], tuple[Recipe]]:
        return signer_for, (self.recipe,)  # so that an `Explanation` can be pickled

    def scratch(self, size: int) -> Scratch:
        """This thread's working arrays for texts of up to `size` bytes."""
        return self._memory.for_bytes(size)

    def sign(self, texts: Sequence[bytes], *, normal: bool = False, counted: bool = False) -> SignedBatch:
        """The signatures of valid UTF-8 `texts`, as far as a decision needs them.

        `normal`: the texts are normal forms already; `counted`: |A| is wanted for all texts.
        """
        n = len(texts)
        data, offsets = concatenated(texts)
        longest = int(np.diff(offsets).max(initial=0))
        rules = self._tables.rules
        longest_sketch = max(3 * rules.size, rules.also_whole + rules.size)
        batch = SignedBatch(
            texts=np.empty(MAX_GROWTH * len(data), np.uint8),
            text_offsets=np.empty(n + 1, np.int64),
            counts=np.empty(n, np.int64),
            sketches=np.empty(n * longest_sketch, np.uint64),
            sketch_offsets=np.empty(n + 1, np.int64),
            levels=np.empty(n, np.uint8),
            bitmaps=np.empty((n, LEVELS, BITMAP_WORDS), np.uint64),
            fingerprints=np.empty((0, 2), np.uint64),
        )
        sign_batch(
            data, offsets, normal, counted, self.recipe.q, self.recipe.fold_case, self._tables.unicode,
            rules, self.scratch(longest if normal else most_points(longest)), batch[:-1],
        )  # fmt: skip
        forms = batch.texts[: batch.text_offsets[-1]]
        return batch._replace(
            texts=forms,
            sketches=batch.sketches[: batch.sketch_offsets[-1]],
            fingerprints=sha256_halves(forms, batch.text_offsets),
        )

    def count(self, batch: SignedBatch, which: Sequence[int]) -> None:
        """Sets |A| in `batch` for those documents of `which` that are not counted yet. Linear in their texts."""
        uncounted = np.array([i for i in which if batch.counts[i] == UNCOUNTED], np.int64)
        if len(uncounted):
            self.count_texts(batch.texts, batch.text_offsets, uncounted, batch.counts)

    def count_texts(self, texts: Bytes, offsets: Offsets, which: Offsets, counts: NDArray[Any]) -> None:
        """Sets `counts[i]` to |A| of the normal form `texts[offsets[i]:offsets[i + 1]]` for every i in `which`."""
        longest = int(np.diff(offsets).max(initial=0))
        count_qgrams(texts, offsets, which, self.recipe.q, self.scratch(longest), counts)

    def key_sets(self, batch: SignedBatch, which: Sequence[int] | None = None) -> tuple[Keys, Offsets]:
        """The distinct q-gram keys of every document, or of those in `which`, one after another, and n + 1 offsets.

        The sets are built anew from the texts at every call; |A| of these documents is set in `batch`.
        """
        texts, ends = batch.texts, batch.text_offsets
        if which is not None:
            texts, ends = concatenated(batch.views(which))
        out, offsets = np.empty(len(texts) + 1, np.uint64), np.empty(len(ends), np.int64)
        longest = int(np.diff(ends).max(initial=0))
        key_sets(texts, ends, self.recipe.q, self.scratch(longest), out, offsets)
        batch.counts[slice(None) if which is None else which] = np.diff(offsets)
        return out[: offsets[-1]], offsets

    def window_keys(self, form: bytes) -> Keys:
        """The key of every q-gram of one normal form, in text order, with repetitions. Linear."""
        out = np.empty(len(form) + 1, np.uint64)
        return out[
            : window_keys(
                np.frombuffer(form, np.uint8), 0, len(form), self.recipe.q, self.scratch(len(form)), out
            )
        ]

    def prefixes(self, batch: SignedBatch, threshold: Fraction) -> tuple[Keys, Offsets]:
        """The rarest keys of every document that a lossless search at `threshold` needs.

        Also sets |A| of all documents in `batch`.
        """
        n = len(batch.counts)
        # Of no documents, of which a store has refused all: one part without any.
        starts = range(0, max(n, 1), _SETS_AT_ONCE)
        parts = [batch.part(at, min(at + _SETS_AT_ONCE, n)) for at in starts]
        return joined([self._prefixes(part, threshold) for part in parts])

    def _prefixes(self, batch: SignedBatch, threshold: Fraction) -> tuple[Keys, Offsets]:
        keys, key_offsets = self.key_sets(batch)
        out, offsets = np.empty(len(keys), np.uint64), np.empty(len(key_offsets), np.int64)
        ratio = threshold.as_integer_ratio()
        prefix_batch(keys, key_offsets, self._tables.classes, ratio, COMPLETE_SHARED, out, offsets)
        return out[: offsets[-1]], offsets

    def qgrams(self, form: bytes) -> dict[int, str]:
        """A dict from key to q-gram, as text, of all q-grams of a normal form."""
        text, q = form.decode(), self.recipe.q
        names = sorted({text[i : i + q] for i in range(len(text) - q + 1)})
        keys, _ = self.key_sets(self.sign([name.encode() for name in names], normal=True))
        return dict(zip(keys.tolist(), names, strict=True))

    def word_features(self, texts: Sequence[bytes]) -> WordFeatures:
        """Sentence fingerprints and simhashes of valid UTF-8 `texts`."""
        n, variants = len(texts), self.recipe.simhash_variants
        data, offsets = concatenated(texts)
        words = WordFeatures(
            sentences=np.empty(len(data) + 1, np.uint64),
            sentence_offsets=np.empty(n + 1, np.int64),
            simhashes=np.zeros((n, variants), np.uint64),
            features=np.zeros((n, variants), np.int64),
        )
        longest = int(np.diff(offsets).max(initial=0))
        tables, points = self._tables, self.scratch(longest).points
        sign_words_batch(data, offsets, tables.unicode, tables.words, points, words)
        return words._replace(sentences=words.sentences[: words.sentence_offsets[-1]])

    def lexicon_keys(self, text: bytes) -> tuple[Keys, Keys]:
        """(distinct q-gram keys, xxh64 of every word): what `LexiconBuilder.add` takes."""
        data = np.frombuffer(text, np.uint8)
        words = word_hashes(data, 0, len(data), self._tables.unicode, self.scratch(len(data)).points)
        return self.key_sets(self.sign([text]))[0], words

    def signature(self, text: str) -> Signature:
        """The whole signature of `text`. Raises `DocumentError` for an unpaired surrogate, `TypeError` if it is no
        text.
        """
        encoded = text_argument("text", text)
        batch, words = self.sign([encoded], counted=True), self.word_features([encoded])
        form = batch.text(0).decode()
        q = self.recipe.q
        simhashes = [int(value) for value in words.simhashes[0]]
        return Signature(
            recipe=self.text,
            fingerprint=batch.fingerprint(0),
            qgrams=tuple(sorted({form[i : i + q] for i in range(len(form) - q + 1)})),
            qgram_count=int(batch.counts[0]),
            sketch=_hex(batch.sketches),
            sentences=_hex(words.sentences),
            simhash=tuple(f"{value:016x}" for value in simhashes),
            simhash_bands=tuple(
                f"{variant}:{block}:{value >> (48 - 16 * block) & 0xFFFF:04x}"
                for variant, value in enumerate(simhashes)
                if words.features[0, variant]
                for block in range(4)
            ),
        )


def _hex(values: Keys) -> tuple[str, ...]:
    return tuple(f"{int(value):016x}" for value in values)


def signer_for(recipe: Recipe) -> Signer:
    """The signer of `recipe`; cached for as long as the files that it names do not change.

    Raises `SettingsError` if `recipe` is no recipe, or names a file that cannot be read.
    """
    if not isinstance(recipe, Recipe):
        raise SettingsError("recipe", recipe, "a neardup.Recipe")
    return _kept_signer(
        recipe, tuple(_stamp(path) for path in (recipe.lexicon, recipe.salt, recipe.boilerplate))
    )


def signer_of_new(settings: Settings) -> Signer:
    """The signer for a new window with these `settings`: of their recipe, or of the default recipe for their threshold.

    Raises `SettingsError` as `signer_for` does.
    """
    return signer_for(settings.recipe or Recipe().reaching(settings.threshold_fraction))


def _stamp(path: str | Path | None) -> tuple[int, int, int] | None:
    if path is None or not Path(path).exists():
        return None
    status = Path(path).stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


@functools.lru_cache(maxsize=8)
def _kept_signer(recipe: Recipe, stamps: tuple[object, ...]) -> Signer:
    _warn_of_weak_salt(Recipe(salt=recipe.salt), stamps[1])
    return Signer(recipe)


@functools.cache
def _warn_of_weak_salt(salted: Recipe, stamp: object) -> None:  # noqa: ARG001 - part of the key
    """Logs once that the salt of `salted` is so short that it can be found by trying all values."""
    secret = salted.secret
    if secret is not None and len(secret) < LEAST_SECRET:
        log.warning(
            "the salt %s has %d bytes, which can be guessed: make one of %d (`head -c %d /dev/urandom > FILE`), and "
            "give it by --salt FILE; give it to an existing window by `neardup resign --salt FILE`",
            salted.salt, len(secret), 2 * LEAST_SECRET, 2 * LEAST_SECRET,
        )  # fmt: skip


_DEFAULT = Recipe()


def sign(text: str, *, recipe: Recipe = _DEFAULT, source: str | None = None) -> Signature:
    """The signature of `text`. Linear in its length; about 1 ms for 4 KB, nearly all of it for the q-grams as text.

    If the recipe has a table of boilerplate, the pieces that recur in `source`, or without a source in any source, are
    left out before signing.

    Raises `TypeError` if `text` is no text, `DocumentError` if `text` has an unpaired surrogate, `SettingsError` if a
    file of the recipe cannot be read, `LexiconError` if its lexicon is damaged.

    >>> from neardup import sign
    >>> signature = sign("A rose is a flower")
    >>> signature.qgram_count, signature.qgrams[0]
    (11, 'Aros')
    """
    signer = signer_for(recipe)
    return signer.signature(signer.counted.of(text_argument("text", text), {"source": source}).decode())
