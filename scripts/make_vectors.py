"""Makes tests/vectors/*.jsonl: texts with every field of their signatures, by the slow oracle.

    python scripts/make_vectors.py

pytest and JUnit read the same files; tests/vectors/README.md describes a line. The texts are those of vector_texts.toml
beside this script. A change of one vector changes what neardup means: look at the diff.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neardup.oracle import definitions as oracle
from neardup.oracle.scanned import packed_sketch, qgram_bitmap

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "tests" / "vectors"

# A string of at least this many characters, all of them the same, is written as {"repeat": [character, times]}.
LONG = 1_000


def main() -> None:
    """Write the vectors and say how many."""
    write(TARGET)
    for path in sorted(TARGET.glob("*.jsonl")):
        data = path.read_bytes()
        print(f"{path.name}: {data.count(10)} vectors, {len(data)} bytes")


def write(folder: Path) -> None:
    """Write one file for each kind of texts into `folder`."""
    kinds = tomllib.loads((HERE / "vector_texts.toml").read_text(encoding="utf-8"))
    for kind, entries in kinds.items():
        cases = with_settings(entries) if kind == "settings" else entries
        lines = [json.dumps(vector(case), separators=(",", ":")) + "\n" for case in cases]
        (folder / f"{kind}.jsonl").write_text("".join(lines), encoding="ascii", newline="\n")


def with_settings(entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every text with every q, each time with another fold_case, number of simhash variants, and sketch."""
    for number, entry in enumerate(entries):
        for q in range(1, 17):
            settings = {
                "q": q,
                "fold_case": (q + number) % 2 == 1,
                "simhash_variants": (q + 4 * number) % 10 + 1,
                "sketch_size": (11 * q + number) % 64 + 1,
                "reach": "0.5" if q % 3 == 0 else "0.6",
                "salt": None if (q + number) % 4 else f"pinch {q}",
            }
            yield {**entry, **settings, "name": f"{entry['name']}, q = {q}"}


def vector(case: dict[str, Any]) -> dict[str, Any]:
    """The line of one text: its settings, its signature, and what the signature was made from."""
    written: Any
    if "repeat" in case:
        unit, times = case["repeat"]
        text, written = unit * times, {"repeat": case["repeat"]}
    elif "letters" in case:
        text = written = scattered(*case["letters"])
    else:
        text = written = case["text"]
    settings = {
        "q": case.get("q", 4),
        "fold_case": case.get("fold_case", False),
        "simhash_variants": case.get("simhash_variants", 1),
        "sketch_size": case.get("sketch_size", 32),
        "reach": case.get("reach", "0.6"),
        "salt": case.get("salt"),
    }
    signature = oracle.sign(
        text,
        q=settings["q"],
        fold_case=settings["fold_case"],
        simhash_variants=settings["simhash_variants"],
        size=settings["sketch_size"],
        reach=settings["reach"],
        salt=None if settings["salt"] is None else settings["salt"].encode(),
    )
    form = oracle.normal_form(text, fold_case=settings["fold_case"])
    words = oracle.words(text)
    return {
        "name": case["name"],
        "text": written,
        **settings,
        **signature,
        "qgram_bitmap": qgram_bitmap(signature["qgrams"]),
        "packed_sketch": packed_sketch(signature["sketch"]),
        "normal_form": shortened(form),
        "keys": [f"{oracle.key(gram):016x}" for gram in signature["qgrams"]],
        "words": [shortened(word) for word in words],
    }


def scattered(letters: str, length: int, seed: int) -> str:
    """A text of `length` characters from `letters`, drawn by a linear congruential generator (Knuth's MMIX)."""
    state, chosen = seed, []
    for _ in range(length):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        chosen.append(letters[(state >> 33) % len(letters)])
    return "".join(chosen)


def shortened(text: str) -> str | dict[str, list[str | int]]:
    """`text`, or how to repeat its one character."""
    if len(text) >= LONG and text == text[0] * len(text):
        return {"repeat": [text[0], len(text)]}
    return text


if __name__ == "__main__":
    main()
