"""Prints a digest of what all kernels come to: run once for each level of the processor by test_native.py.

By so many threads as its argument says, one if there is none, which share the smallest amounts of work.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from pathlib import Path
from unittest import mock

import neardup
from neardup.index import pair_overlaps
from neardup.kernels import native
from neardup.signing.signer import sign

ROOT = Path(__file__).parents[3]
LETTERS = "etaoinshrdlu     ETAOIN.,;0123456789äßéÅ中文字東京кот한국어\u0301\u0323🙂"


def texts() -> list[str]:
    """Words, words of every script, copies of them with edits, and templates filled in."""
    numbers = random.Random(5)
    words = ["".join(numbers.choices(LETTERS, k=numbers.randint(1, 9))) for _ in range(400)]
    made = [" ".join(numbers.choices(words, k=numbers.randint(1, 900))) for _ in range(60)]
    plain = ["".join(numbers.choices(LETTERS[:32], k=numbers.randint(0, 5_000))) for _ in range(60)]
    template = (
        "The ferry to the western spit leaves at {} from pier {} and costs {} a head, weather permitting. "
    )
    forms = [(template * 4).format(*(numbers.randint(0, 999) for _ in range(12))) for _ in range(150)]
    copies = []
    for text in [*made, *plain]:
        cut = numbers.randint(0, len(text))
        copies.append(text[:cut] + numbers.choice(words) + text[cut + numbers.randint(0, 60) :])
    return [*made, *plain, *forms, *copies]


def outcome(threads: int) -> list[object]:
    """Signatures, verdicts by either retrieval with kinds and parts, answers, groups."""
    given = texts()
    found: list[object] = [sign(text).to_dict() for text in given]
    for retrieval in ("sketch", "complete"):
        with neardup.open(
            None, retrieval=retrieval, partial=True, kinds=True, window_hours=0, threads=threads
        ) as window:
            records = [{"id": f"{i}", "text": text, "time": 0} for i, text in enumerate(given)]
            found += [item.to_dict() for item in window.ingest(records)]
            found += [window.query(text[5:]).to_dict() for text in given[::7]]
            found += [group.to_dict() for group in window.groups()]
    return found


if __name__ == "__main__":
    assert native.library_path().exists()
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    with mock.patch.object(pair_overlaps, "_PART_BYTES", 1 << 8):
        print(hashlib.sha256(json.dumps(outcome(threads), default=str).encode()).hexdigest())
