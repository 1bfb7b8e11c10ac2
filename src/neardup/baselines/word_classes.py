"""The classes of the methods that compare words and sentences, imported when they are asked for.

registry.py names methods without loading kernels and libraries; a class in a string would be lost on a type checker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neardup.baselines.cosine import Cosine
    from neardup.baselines.imatch import IMatch
    from neardup.baselines.scam import Scam
    from neardup.baselines.segments import SegmentFingerprints
    from neardup.baselines.sentence_fingerprints import SentenceFingerprints
    from neardup.baselines.sentence_lengths import SentenceLengths
    from neardup.baselines.simhash import Simhash
    from neardup.baselines.spot_program import ProgramSpotSigs, SpotIMatch, SpotLsh
    from neardup.baselines.spotsigs import SpotSigs


def cosine() -> type[Cosine]:
    """Cosine of tf-idf vectors."""
    from neardup.baselines.cosine import Cosine

    return Cosine


def imatch() -> type[IMatch]:
    """Digests of words of middling idf."""
    from neardup.baselines.imatch import IMatch

    return IMatch


def scam() -> type[Scam]:
    """Overlap of word frequencies."""
    from neardup.baselines.scam import Scam

    return Scam


def segment_fingerprints() -> type[SegmentFingerprints]:
    """Hashes of sentences as they stand."""
    from neardup.baselines.segments import SegmentFingerprints

    return SegmentFingerprints


def sentence_fingerprints() -> type[SentenceFingerprints]:
    """Hashes of the significant words of sentences."""
    from neardup.baselines.sentence_fingerprints import SentenceFingerprints

    return SentenceFingerprints


def sentence_lengths() -> type[SentenceLengths]:
    """Sequences of sentence lengths."""
    from neardup.baselines.sentence_lengths import SentenceLengths

    return SentenceLengths


def simhash() -> type[Simhash]:
    """Fingerprints near in Hamming distance."""
    from neardup.baselines.simhash import Simhash

    return Simhash


def spot_program() -> tuple[type[ProgramSpotSigs], type[SpotLsh], type[SpotIMatch]]:
    """The three methods of the SpotSigs authors' program."""
    from neardup.baselines.spot_program import ProgramSpotSigs, SpotIMatch, SpotLsh

    return ProgramSpotSigs, SpotLsh, SpotIMatch


def spotsigs() -> type[SpotSigs]:
    """Chains of content words."""
    from neardup.baselines.spotsigs import SpotSigs

    return SpotSigs
