"""The oracle: every definition written down once more, slow and plain.

Pure Python and xxhash; it shares no code with the fast path, only the data that both are given: the Unicode
table, the rank table and a lexicon. Tests compare the fast path with it, the test vectors are made by it,
and `brute_force_pairs` is the truth for retrieval. It is 100 to 1,000 times slower than the fast path and
must never be called by it.

"Definitions" below are those of docs/definitions.md: N normal form, Q q-gram, D doc_q, K key, F
fingerprint, W words, S sentences, SF sentence fingerprint, H simhash, L lexicon, R sketch (ranks), C recipe.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import xxhash

from neardup.oracle.nfc import has_class, lower, nfc
from neardup.tables import ranks as rank_table
from neardup.tables import unicode as unicode_table
from neardup.tables.lexicon import Lexicon

__all__ = [
    "Pair",
    "brute_force_pairs",
    "doc_q",
    "doc_q_counts",
    "fingerprint",
    "idf",
    "is_common",
    "key",
    "lower",
    "nfc",
    "normal_form",
    "qgrams",
    "rank",
    "recipe",
    "sentence_fingerprints",
    "sentences",
    "sign",
    "simhash",
    "simhash_bands",
    "simhash_features",
    "sketch",
    "word_class",
    "words",
]

MASK64 = (1 << 64) - 1
COMPLETE_BELOW = 64  # R: a set of up to 64 q-grams is its own sketch
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
    """Definition F: xxh64 with seeds 0 and 1 of the UTF-8 normal form, 32 hex digits."""
    data = form.encode("utf-8")
    return f"{xxhash.xxh64_intdigest(data, seed=0):016x}{xxhash.xxh64_intdigest(data, seed=1):016x}"


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


def rank(value: int, lexicon: Lexicon, q: int = 4, alpha: float = 1.5) -> int:
    """Definition R: EL of the key's low 16 bits plus WL of the class of its slot, the key's top 22 bits.

    A lexicon of another q knows nothing of these q-grams.
    """
    known = int(lexicon.qgram_classes[value >> 42]) if lexicon.q == q else 255
    exponential, by_class = _rank_tables(alpha)
    return exponential[value & 0xFFFF] + by_class[known]


@functools.cache
def _rank_tables(alpha: float) -> tuple[list[int], list[int]]:
    return rank_table.load().exponential.tolist(), rank_table.class_weights(alpha).tolist()


def sketch(
    grams: Iterable[str], lexicon: Lexicon, *, q: int = 4, size: int = 32, alpha: float = 1.5
) -> list[str]:
    """Definition R: the keys of smallest (rank, key), 16 hex digits each; all if there are at most 64."""
    ranked = sorted((rank(value, lexicon, q, alpha), value) for value in {key(gram) for gram in grams})
    head = ranked if len(ranked) <= COMPLETE_BELOW else ranked[:size]
    return [f"{value:016x}" for _, value in head]


def recipe(
    lexicon: Lexicon,
    *,
    q: int = 4,
    fold_case: bool = False,
    simhash_variants: int = 1,
    size: int = 32,
    alpha: float = 1.5,
) -> str:
    """Definition C: everything that shapes a signature, in one string."""
    case = "fold" if fold_case else "case"
    return f"neardup-1:q{q}:{case}:u16:lex-{lexicon.id}:sketch-{size}-{alpha}:simhash-{simhash_variants}"


def sign(
    text: str,
    *,
    lexicon: Lexicon | None = None,
    q: int = 4,
    fold_case: bool = False,
    simhash_variants: int = 1,
    size: int = 32,
    alpha: float = 1.5,
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
            lexicon, q=q, fold_case=fold_case, simhash_variants=simhash_variants, size=size, alpha=alpha
        ),
        "fingerprint": fingerprint(form),
        "qgrams": sorted(grams),
        "qgram_count": len(grams),
        "sketch": sketch(grams, lexicon, q=q, size=size, alpha=alpha),
        "sentences": sentence_fingerprints(text, lexicon),
        "simhash": [simhash(text, lexicon, variant) for variant in variants],
        "simhash_bands": simhash_bands(text, lexicon, simhash_variants),
    }
