"""The classes of the methods that compare sets of q-grams, shingles or sentences, imported when they are asked for.

registry.py names methods without loading kernels and libraries; a class in a string would be lost on a type checker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neardup.baselines.by_kind import ByKind
    from neardup.baselines.checksum import Checksum
    from neardup.baselines.clipping import Clipping
    from neardup.baselines.cops import Cops
    from neardup.baselines.ddebit import Ddebit
    from neardup.baselines.doc_q import DocQ
    from neardup.baselines.megashingles import Megashingles
    from neardup.baselines.minhash_lsh import MinHashLsh
    from neardup.baselines.retsim import RetSim
    from neardup.baselines.shingling import Shingling
    from neardup.baselines.sif import Sif
    from neardup.baselines.super_shingles import SuperShingles


def by_kind() -> type[ByKind]:
    """Likeness of the own words of texts."""
    from neardup.baselines.by_kind import ByKind

    return ByKind


def checksum() -> type[Checksum]:
    """Checksums of whole texts."""
    from neardup.baselines.checksum import Checksum

    return Checksum


def clipping() -> type[Clipping]:
    """doc_q without q-grams that are too frequent or too rare."""
    from neardup.baselines.clipping import Clipping

    return Clipping


def cops() -> type[Cops]:
    """Shares of sentences."""
    from neardup.baselines.cops import Cops

    return Cops


def ddebit() -> type[Ddebit]:
    """Bigrams first, then longer q-grams."""
    from neardup.baselines.ddebit import Ddebit

    return Ddebit


def doc_q() -> type[DocQ]:
    """Sets of q-grams."""
    from neardup.baselines.doc_q import DocQ

    return DocQ


def megashingles() -> type[Megashingles]:
    """Pairs of sequences of minima."""
    from neardup.baselines.megashingles import Megashingles

    return Megashingles


def minhash_lsh() -> type[MinHashLsh]:
    """Estimated resemblance; needs datasketch when it is made."""
    from neardup.baselines.minhash_lsh import MinHashLsh

    return MinHashLsh


def retsim() -> type[RetSim]:
    """Vectors of a neural network; needs unisim when it is made."""
    from neardup.baselines.retsim import RetSim

    return RetSim


def shingling() -> type[Shingling]:
    """Sets of word sequences."""
    from neardup.baselines.shingling import Shingling

    return Shingling


def sif() -> type[Sif]:
    """Chosen sequences of characters."""
    from neardup.baselines.sif import Sif

    return Sif


def super_shingles() -> type[SuperShingles]:
    """Sequences of shingles."""
    from neardup.baselines.super_shingles import SuperShingles

    return SuperShingles
