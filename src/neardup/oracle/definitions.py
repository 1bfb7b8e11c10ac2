"""The oracle: every definition written down once more, slow and plain.

Pure Python and xxhash; it shares no code with the fast path, only the data that both are given: the Unicode
table and a lexicon. Tests compare the fast path with it, the test vectors are made by it,
and `brute_force_pairs` is the truth for retrieval. It is 100 to 1,000 times slower than the fast path and
must never be called by it.

"Definitions" below are those of docs/definitions.md: N normal form, Q q-gram, D doc_q, K key, F
fingerprint, W words, S sentences, SF sentence fingerprint, H simhash, L lexicon, R sketch, C recipe.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import xxhash

from neardup.oracle.nfc import has_class, lower, nfc
from neardup.tables import unicode as unicode_table
from neardup.tables.lexicon import Lexicon

__all__ = [
    "Pair", "brute_force_pairs", "doc_q", "doc_q_counts", "fingerprint", "idf", "is_common", "is_narrow", "key",
    "lower", "nfc", "normal_form", "qgrams", "recipe", "sentence_fingerprints", "sentences", "shared_for",
    "sign", "simhash", "simhash_bands", "simhash_features", "sketch", "word_class", "words",
]  # fmt: skip

MASK64 = (1 << 64) - 1
WIDE_ABOVE = 512  # R: larger sets are sampled by wide grams
SHORTEST_SENTENCE = 3  # SF: words left
VARIANT_LIMIT = 0xAAAAAAAAAAAAAAAA  # H: a random lexicon keeps two words of three


class Pair(NamedTuple):
    """Two documents and what they share; `score` is their doc_q."""

    first: str
    second: str
    shared: int
    larger: int
    score: Fraction


# -- q-grams ---------------------------------------------------------------------------------------


def normal_form(text: str, *, fold_case: bool = False) -> str:
    """Definition N: NFC, then only letters, marks and numbers; lower-cased if `fold_case`.

    >>> normal_form("A rose is a flower.")
    'Aroseisaflower'
    """
    kept = "".join(char for char in nfc(text) if has_class(char, unicode_table.KEEP))
    return lower(kept) if fold_case else kept


def qgrams(form: str, q: int = 4) -> set[str]:
    """Definition Q: the set of all substrings of `q` code points of a normal form."""
    return {form[start : start + q] for start in range(len(form) - q + 1)}


def key(qgram: str) -> int:
    """Definition K: the packed q-gram through splitmix64's finaliser, or xxh64 of its UTF-32LE bytes."""
    if len(qgram) > 4 or any(ord(char) >= 0x10000 for char in qgram):
        return xxhash.xxh64_intdigest(qgram.encode("utf-32-le"), seed=0)
    packed = 0
    for char in qgram:
        packed = (packed << 16) | ord(char)
    return _splitmix64_finaliser(packed)


def _splitmix64_finaliser(value: int) -> int:
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK64
    return value ^ (value >> 31)


def doc_q_counts(a: str, b: str, *, q: int = 4, fold_case: bool = False) -> tuple[int, int]:
    """|A ∩ B| and max(|A|, |B|) of the q-gram sets of two texts."""
    left, right = (qgrams(normal_form(text, fold_case=fold_case), q) for text in (a, b))
    return len(left & right), max(len(left), len(right))


def doc_q(a: str, b: str, *, q: int = 4, fold_case: bool = False) -> Fraction:
    """Definition D: shared / larger; 1 for equal, non-empty normal forms, else 0 for an empty set."""
    form = normal_form(a, fold_case=fold_case)
    if form and form == normal_form(b, fold_case=fold_case):
        return Fraction(1)
    shared, larger = doc_q_counts(a, b, q=q, fold_case=fold_case)
    return Fraction(shared, larger) if larger else Fraction(0)


def brute_force_pairs(
    documents: Iterable[tuple[str, str]], threshold: float | str, *, q: int = 4, fold_case: bool = False
) -> list[Pair]:
    """All pairs of documents (id, text) with doc_q at or above `threshold`, in the order of the documents.

    The threshold is the decimal that it prints as, and compared in whole numbers: shared >= ⌈t · larger⌉.
    """
    limit = Fraction(str(threshold))
    forms = [(name, normal_form(text, fold_case=fold_case)) for name, text in documents]
    signed = [(name, form, qgrams(form, q)) for name, form in forms]
    pairs = []
    for (name_a, form_a, set_a), (name_b, form_b, set_b) in itertools.combinations(signed, 2):
        shared, larger = len(set_a & set_b), max(len(set_a), len(set_b))
        if form_a and form_a == form_b:
            pairs.append(Pair(name_a, name_b, shared, larger, Fraction(1)))
        elif larger and shared >= math.ceil(limit * larger):
            pairs.append(Pair(name_a, name_b, shared, larger, Fraction(shared, larger)))
    return pairs


def fingerprint(form: str) -> str:
    """Definition F: the first 128 bits of the SHA-256 of the UTF-8 normal form, 32 hex digits."""
    return hashlib.sha256(form.encode("utf-8")).hexdigest()[:32]


# -- words and sentences ---------------------------------------------------------------------------


def words(text: str) -> list[str]:
    """Definition W: the lower-cased words of `text` in order."""
    return _words_of_nfc(nfc(text))


def sentences(text: str) -> list[list[str]]:
    """Definition S: the sentences of `text`, each as its words; those without a word are left out."""
    normalized = nfc(text)
    by_sentence, start = [], 0
    for end in [*_sentence_ends(normalized), len(normalized)]:
        by_sentence.append(_words_of_nfc(normalized[start:end]))
        start = end
    return [sentence for sentence in by_sentence if sentence]


def _words_of_nfc(text: str) -> list[str]:
    parts = [""]  # an empty part stands where a word ends
    for char in text:
        if not has_class(char, unicode_table.KEEP):
            parts.append("")
        elif has_class(char, unicode_table.ALONE):
            parts += [char, ""]
        else:
            parts[-1] += char
    return [lower(part) for part in parts if part]


def _sentence_ends(text: str) -> list[int]:
    """The positions at which a sentence ends: all that was before belongs to it."""
    ends = []
    for position, char in enumerate(text):
        after = position + 1
        before_space = after == len(text) or has_class(text[after], unicode_table.SPACE)
        if has_class(char, unicode_table.END) or (
            has_class(char, unicode_table.END_BEFORE_SPACE) and before_space
        ):
            ends.append(after)
    position = 0
    for is_space, chars in itertools.groupby(text, key=lambda char: has_class(char, unicode_table.SPACE)):
        white = "".join(chars)
        if is_space and _line_breaks(white) >= 2:
            ends.append(position)
        position += len(white)
    return sorted(ends)


def _line_breaks(white: str) -> int:
    """The number of line breaks in white space; CR LF is one."""
    return sum(has_class(char, unicode_table.BREAK) for char in white.replace("\r\n", "\n"))


def sentence_fingerprints(text: str, lexicon: Lexicon) -> list[str]:
    """Definition SF: of each sentence with 3 or more words that are not common; each one once."""
    fingerprints: dict[str, None] = {}
    for sentence in sentences(text):
        rare = [word for word in sentence if not is_common(word, lexicon)]
        if len(rare) >= SHORTEST_SENTENCE:
            fingerprints[f"{_hash(' '.join(sorted(rare))):016x}"] = None
    return list(fingerprints)


# -- lexicon ---------------------------------------------------------------------------------------


def _hash(text: str, seed: int = 0) -> int:
    return xxhash.xxh64_intdigest(text.encode("utf-8"), seed=seed)


def word_class(word: str, lexicon: Lexicon) -> int:
    """Definition L: the class of the word's slot, which is the top 20 bits of its hash."""
    return int(lexicon.word_classes[_hash(word) >> 44])


def is_common(word: str, lexicon: Lexicon) -> bool:
    """Definition L: known, and of a class that says "in a tenth of the documents"."""
    return lexicon.common_class <= word_class(word, lexicon) != 255


def idf(word: str, lexicon: Lexicon) -> int:
    """Definition L: how much a word weighs in a simhash."""
    known = word_class(word, lexicon)
    return max(1, lexicon.n_class if known == 255 else lexicon.n_class - known)


# -- simhash ---------------------------------------------------------------------------------------


def simhash_features(text: str, lexicon: Lexicon, variant: int = 0) -> list[tuple[int, int]]:
    """Definition H: (hash, weight) of each pair of adjacent words among those that the variant keeps."""
    kept = [word for word in words(text) if variant == 0 or _hash(word, seed=variant) < VARIANT_LIMIT]
    return [
        (_hash(f"{first} {second}"), idf(first, lexicon) + idf(second, lexicon))
        for first, second in itertools.pairwise(kept)
    ]


def simhash(text: str, lexicon: Lexicon, variant: int = 0) -> str:
    """Definition H: bit b is 1 iff the features that have it outweigh those that have not; 16 hex digits."""
    features = simhash_features(text, lexicon, variant)
    value = 0
    for bit in range(64):
        if sum(weight if feature >> bit & 1 else -weight for feature, weight in features) > 0:
            value |= 1 << bit
    return f"{value:016x}"


def simhash_bands(text: str, lexicon: Lexicon, variants: int = 1) -> list[str]:
    """Definition H: four blocks of 16 bits of each variant that has a feature, most significant first."""
    bands = []
    for variant in range(variants):
        if simhash_features(text, lexicon, variant):
            digits = simhash(text, lexicon, variant)
            bands += [f"{variant}:{block}:{digits[4 * block : 4 * block + 4]}" for block in range(4)]
    return bands


# -- sketch and signature --------------------------------------------------------------------------


class Reach(NamedTuple):
    """Definition R: what a sketch made for thresholds from `lowest` on samples.

    whole            sets of up to so many q-grams are their own sketch
    middle, wide     where the q-grams begin whose keys make up a middle and a wide gram
    """

    lowest: Fraction
    whole: int
    middle: Sequence[int]
    wide: Sequence[int]

    def largest_copy_of(self, size: int) -> int:
        """The largest size of a set that may be a copy of one of so many q-grams."""
        return math.floor(size / self.lowest)


def reach_of(reach: str, q: int) -> Reach:
    """Definition R: the numbers of a reach, "0.6" or "0.5"."""
    if reach == "0.6":
        return Reach(Fraction(6, 10), 24, (0, q), (0, q, 2 * q - 1))
    return Reach(Fraction(5, 10), 32, (0, math.ceil(q / 2)), (0, q))


def multipliers(salt: bytes | None = None) -> list[int]:
    """Definition R: odd numbers of 64 bits, C1 to C7; others for every salt."""
    seed = 0 if salt is None else int.from_bytes(hashlib.sha256(salt).digest()[:8], "big")
    return [_splitmix64_finaliser((j * 0x9E3779B97F4A7C15 + seed) & MASK64) | 1 for j in range(1, 8)]


def gram_keys(form: str, q: int, offsets: Sequence[int], factors: Sequence[int]) -> list[int]:
    """Definition R: the distinct keys of all grams of a form, ascending: the keys of the q-grams that begin at
    `offsets` from the beginning of each, times `factors`, added up.
    """
    starts = range(len(form) - offsets[-1] - q + 1)
    return sorted(
        {
            sum(key(form[i + at : i + at + q]) * by for at, by in zip(offsets, factors, strict=False))
            & MASK64
            for i in starts
        }
    )


def is_narrow(form: str, q: int) -> bool:
    """Definition R: whether so many of the q-grams that its letters allow are there that sets are alike by chance."""
    letters = form[:: math.ceil(len(form) / 256)]
    pairs = sum(count * (count - 1) for count in Counter(letters).values())
    if pairs == 0:
        return False
    alphabet = len(letters) * (len(letters) - 1) / pairs
    possible = 1.0
    for _ in range(q):
        possible *= alphabet
    return 4 * len(qgrams(form, q)) >= possible


def sketch(
    form: str, *, q: int = 4, size: int = 32, reach: str = "0.6", salt: bytes | None = None
) -> list[str]:
    """Definition R: the sketch of a normal form, 16 hex digits a key."""
    count, numbers, factors = len(qgrams(form, q)), reach_of(reach, q), multipliers(salt)
    if count == 0:
        return []
    chosen: list[int] = []
    own = gram_keys(form, q, (0,), factors[:1])
    if count <= numbers.largest_copy_of(numbers.whole):
        chosen += own
    if numbers.whole < count <= numbers.largest_copy_of(WIDE_ABOVE):
        chosen += gram_keys(form, q, numbers.middle, factors[1:3])[:size]
    if count > WIDE_ABOVE:
        chosen += gram_keys(form, q, numbers.wide, factors[3:])[:size]
    if count > numbers.largest_copy_of(numbers.whole) and is_narrow(form, q):
        chosen += own[:size]
    return [f"{value:016x}" for value in chosen]


def shared_for(count: int, threshold: str, *, size: int = 32, reach: str = "0.6") -> int:
    """How many keys of the sketch of a set of `count` q-grams a candidate must share (Search)."""
    required = math.ceil(Fraction(threshold) * count)
    wanted = 3 if Fraction(threshold) >= Fraction(7, 10) else 2
    if count <= 48:
        wanted = 2
    wanted = max(wanted * size // 32, 1)
    if count <= reach_of(reach, 4).whole:
        wanted = 4
    return max(min(wanted, required), 1)


def recipe(
    lexicon: Lexicon,
    *,
    q: int = 4,
    fold_case: bool = False,
    simhash_variants: int = 1,
    size: int = 32,
    reach: str = "0.6",
    salt: bytes | None = None,
    strip: str = "",
) -> str:
    """Definition C: everything that shapes a signature, in one string; `strip` is the mark of a boilerplate table."""
    case = "fold" if fold_case else "case"
    whole = f"neardup-2:q{q}:{case}:u16:lex-{lexicon.id}:sketch-{size}-{reach}:simhash-{simhash_variants}"
    if strip:
        whole += f":strip-{strip}"
    if salt is None:
        return whole
    return f"{whole}:salt-{hashlib.sha256(hashlib.sha256(salt).digest()).hexdigest()[:8]}"


def sign(
    text: str,
    *,
    lexicon: Lexicon | None = None,
    q: int = 4,
    fold_case: bool = False,
    simhash_variants: int = 1,
    size: int = 32,
    reach: str = "0.6",
    salt: bytes | None = None,
    strip: str = "",
) -> dict[str, Any]:
    """The signature of `text` by all the definitions, as `Signature.to_dict` gives it.

    Raises `ValueError` if the text contains an unpaired surrogate.
    """
    lexicon = lexicon or Lexicon.default()
    form = normal_form(text, fold_case=fold_case)
    grams = qgrams(form, q)
    variants = range(simhash_variants)
    return {
        "recipe": recipe(
            lexicon,
            q=q,
            fold_case=fold_case,
            simhash_variants=simhash_variants,
            size=size,
            reach=reach,
            salt=salt,
            strip=strip,
        ),
        "fingerprint": fingerprint(form),
        "qgrams": sorted(grams),
        "qgram_count": len(grams),
        "sketch": sketch(form, q=q, size=size, reach=reach, salt=salt),
        "sentences": sentence_fingerprints(text, lexicon),
        "simhash": [simhash(text, lexicon, variant) for variant in variants],
        "simhash_bands": simhash_bands(text, lexicon, simhash_variants),
    }
