"""Writes examples/stream.jsonl: two days of an invented news wire, with copies like those of real ones.

    python scripts/make_sample.py [--seed 42] [--output examples/stream.jsonl]

Every place, person and event in it is invented. The same seed gives the same file to the byte. Besides about three
hundred stories the stream has the cases that `make demo` shows: exact copies, copies that differ only in line breaks
and punctuation, edited copies (another header, a trimmed tail, corrected figures, an added paragraph), an edit of an
edit, a copy more than a day later, a late document, an empty one, one without text and a line cut short.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sample_grammar import BEATS, SHARED, TRANSLATED, WORDS

START = datetime(2026, 11, 19, 6, tzinfo=UTC)
HOURS = 42
STORIES_AN_HOUR = 6
AGENCIES = ("Northline", "Harbour Press", "Meridian Wire", "Lowland News Service", "The Morning Ledger")


@dataclass(frozen=True)
class Item:
    """One document of the stream; `arrives` orders the file and may be later than `time`."""

    time: datetime
    source: str
    text: str
    arrives: datetime

    def line(self, number: int) -> str:
        """The JSON line of this document as the `number`th of the stream."""
        record = {
            "id": f"wire-{number:04d}",
            "time": self.time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "source": self.source,
            "text": self.text,
        }
        return json.dumps(record, ensure_ascii=False)


def main() -> None:
    """Write the sample and say what is in it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--output", type=Path, default=Path("examples/stream.jsonl"))
    arguments = parser.parse_args()
    lines = list(sample(random.Random(arguments.seed)))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{arguments.output}: {len(lines)} lines, {arguments.output.stat().st_size:,} bytes")


def sample(rng: random.Random) -> Iterator[str]:
    """The lines of the sample stream."""
    stories = list(_stories(rng))
    items = sorted(
        stories + list(_copies(rng, stories)) + list(_set_pieces(rng, stories)), key=lambda item: item.arrives
    )
    for number, item in enumerate(items, 1):
        line = item.line(number)
        if number == len(items) // 3:
            yield line[: len(line) // 2]  # a line as left by a crashed writer
        if number == len(items) // 2:
            yield json.dumps({"id": "wire-notext", "time": item.line(number)[29:49], "source": item.source})
        yield line


def _stories(rng: random.Random) -> Iterator[Item]:
    for hour in range(HOURS):
        for _ in range(STORIES_AN_HOUR):
            time = START + timedelta(hours=hour, seconds=rng.randrange(3600))
            yield Item(time, rng.choice(AGENCIES), story(rng), time)
    for texts in TRANSLATED:
        time = START + timedelta(hours=rng.randrange(HOURS - 8), seconds=rng.randrange(3600))
        yield Item(time, AGENCIES[3], texts, time)


def story(rng: random.Random) -> str:
    """One story: a headline, a place line and five to nine sentences of its beat, in short paragraphs."""
    beat = rng.choice(sorted(BEATS))
    words = {slot: rng.choice(values) for slot, values in WORDS.items()}
    words["other"] = rng.choice([place for place in WORDS["place"] if place != words["place"]])
    words["second"] = rng.choice([name for name in WORDS["name"] if name != words["name"]])
    words |= {f"n{i}": str(rng.randrange(low, high)) for i, (low, high) in enumerate(_RANGES)}
    headline, lead, *rest = BEATS[beat]
    body = rng.sample(rest, rng.randint(4, min(6, len(rest)))) + rng.sample(SHARED, rng.randint(1, 3))
    rng.shuffle(body)
    sentences = [_filled(rng, sentence, words) for sentence in (lead, *body)]
    paragraphs = [" ".join(sentences[i : i + 2]) for i in range(0, len(sentences), 2)]
    paragraphs[0] = f"{words['place'].upper()} - {paragraphs[0]}"
    return _filled(rng, headline, words) + "\n\n" + "\n\n".join(paragraphs)


_RANGES = ((2, 19), (20, 95), (110, 980), (3, 60))
_CHOICE_RE = re.compile(r"\[([^\[\]]*)\]")


def _filled(rng: random.Random, template: str, words: dict[str, str]) -> str:
    """`template` with one choice from every `[a|b|c]` and every `{slot}` filled; it begins with a capital letter."""
    while _CHOICE_RE.search(template):
        template = _CHOICE_RE.sub(lambda match: rng.choice(match[1].split("|")), template, count=1)
    text = template.format_map(words)
    return text[0].upper() + text[1:]


def _copies(rng: random.Random, stories: list[Item]) -> Iterator[Item]:
    """For about every ninth story, one to three copies within some hours, each made in a random way."""
    manners: tuple[Callable[[random.Random, str], str], ...] = (
        _same,
        _reflowed,
        _new_header,
        _trimmed,
        _corrected,
        _with_update,
    )
    for original in rng.sample(stories, len(stories) // 9):
        latest = original
        for _ in range(rng.choice((1, 1, 2, 3))):
            text = rng.choice(manners)(rng, rng.choice((original, latest)).text)
            time = latest.time + timedelta(minutes=rng.randrange(2, 400))
            latest = Item(time, rng.choice(AGENCIES), text, time)
            if latest.time < START + timedelta(hours=HOURS):
                yield latest


def _same(_: random.Random, text: str) -> str:
    return text


def _reflowed(_: random.Random, text: str) -> str:
    """The same words with other line breaks, dashes and quotation marks: another file, not another text."""
    return (
        text.replace("\n\n", "\n")
        .replace(" - ", " \N{EM DASH} ")
        .replace('"', "\N{RIGHT DOUBLE QUOTATION MARK}")
    )


def _new_header(rng: random.Random, text: str) -> str:
    header = rng.choice(("UPDATE 1", "RPT", "CORRECTED", "For immediate release", "From our correspondent"))
    return f"{header}: {text}\n\n({rng.choice(AGENCIES)}, all rights reserved)"


def _trimmed(_: random.Random, text: str) -> str:
    """Without the end, as if a column was too short for it."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(paragraphs[:-1]) if len(paragraphs) > 3 else text


def _corrected(rng: random.Random, text: str) -> str:
    """One figure changed and one word misspelt, or corrected."""
    text = re.sub(r"\b\d{2,3}\b", lambda match: str(int(match[0]) + rng.randint(1, 4)), text, count=1)
    words = text.split(" ")
    at = rng.choice([i for i, word in enumerate(words) if len(word) > 6 and word.isalpha()])
    words[at] = words[at][:3] + words[at][4] + words[at][3] + words[at][5:]
    return " ".join(words)


def _with_update(rng: random.Random, text: str) -> str:
    added = rng.choice(
        (
            "This report will be updated.",
            "A spokesman declined to comment further on Thursday evening.",
            "Further details were expected within the hour.",
        )
    )
    return f"{text}\n\n{added}"


def _set_pieces(rng: random.Random, stories: list[Item]) -> Iterator[Item]:
    """The cases that every reader of the demo should meet, whatever the seed."""
    early = stories[4]
    day_later = early.time + timedelta(hours=30)
    yield replace(early, time=day_later, arrives=day_later)  # outside the window of 24 hours: unique again
    delayed = stories[STORIES_AN_HOUR * 20]
    reported = delayed.time + timedelta(minutes=40)
    yield Item(
        reported, AGENCIES[0], _new_header(rng, delayed.text), reported + timedelta(hours=9)
    )  # a late one
    noon = START + timedelta(hours=30, minutes=12)
    yield Item(noon, AGENCIES[1], " \N{EM DASH} \n", noon)  # nothing left without punctuation: empty


if __name__ == "__main__":
    main()
