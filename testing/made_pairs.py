"""Pairs of texts with a known kind, made by rules other than those that find kinds: for tests, not for claims.

The prose is that of `examples/`, which is invented.
"""

import json
from pathlib import Path
from random import Random

STREAM = Path(__file__).parents[1] / "examples" / "stream.jsonl"
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "October", "December"]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
NAMES = ["Alton", "Berry", "Carver", "Dunmore", "Easton", "Farrow", "Galt", "Hollis"]
SLOTS = {
    "COUNT": lambda draw: f"{draw.randint(10, 99)},{draw.randint(0, 999):03d}",
    "SUM": lambda draw: f"{draw.uniform(1, 99):.2f} million crowns",
    "RATE": lambda draw: f"{draw.uniform(0, 12):.1f} percent",
    "DATE": lambda draw: f"{draw.choice(MONTHS)} {draw.randint(1, 28)}",
    "DAY": lambda draw: draw.choice(DAYS),
    "TIME": lambda draw: f"{draw.randint(1, 12)}:{draw.randint(0, 59):02d}",
    "GOALS": lambda draw: f"{draw.randint(0, 5)}-{draw.randint(0, 5)}",
}
REPORTS = [
    "Cash balances stood at SUM on DATE, compared with SUM on DATE.",
    "Herds fell by COUNT to COUNT head in the week to DAY.",
    "The rate rose RATE from RATE a year earlier.",
    "On DAY, DATE, the office opened at TIME and closed at TIME.",
    "The hosts won GOALS, the visitors won GOALS, and COUNT came to see it.",
    "Volume was COUNT lots against COUNT lots the day before.",
]


def prose() -> list[str]:
    """The longer texts of the sample."""
    texts = []
    for line in STREAM.read_text("utf-8").splitlines():
        try:
            texts.append(json.loads(line)["text"])
        except (ValueError, KeyError):
            continue  # a record that is broken on purpose
    return [text for text in dict.fromkeys(texts) if len(text) > 300 and ">" not in text]


def filled(report: str, draw: Random) -> str:
    """`report` with something else in every slot."""
    for name, make in SLOTS.items():
        while name in report:
            report = report.replace(name, make(draw), 1)
    return report


def form(draw: Random, texts: list[str]) -> tuple[str, str]:
    """One report, filled in twice, with a few constant sentences."""
    fixed = draw.choice(texts).split(". ")[: draw.randint(1, 3)]
    parts = [*draw.choices(REPORTS, k=draw.randint(3, 7)), *(f"{sentence}." for sentence in fixed)]
    draw.shuffle(parts)
    return " ".join(filled(part, draw) for part in parts), " ".join(filled(part, draw) for part in parts)


def quote(draw: Random, texts: list[str]) -> tuple[str, str]:
    """A message, and a reply that contains all of it."""
    message, other = draw.sample(texts, 2)
    own = other[: draw.randint(20, len(message) // 2)]
    if draw.random() < 0.3:
        return (
            message,
            f"{own}\n\n-----Original Message-----\nFrom: Ann\nSent: today\nSubject: News\n\n{message}",
        )
    words = message.split(" ")
    lines = [" ".join(words[at : at + 10]) for at in range(0, len(words), 10)]
    quoted = "\n".join(f"{draw.choice(('> ', '>', '| '))}{line}" for line in lines)
    return message, f"On {draw.choice(DAYS)} {draw.choice(NAMES)} wrote:\n\n{quoted}\n\n{own}"


def token(draw: Random) -> str:
    """A token that a sender puts into each of its mails so that no two are equal."""
    return "".join(draw.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=draw.randint(8, 16)))


def campaign(draw: Random, texts: list[str]) -> tuple[str, str]:
    """One message, sent twice with other tokens, links and footers."""
    message = draw.choice(texts)

    def sent() -> str:
        words = message.split(" ")
        words.insert(draw.randint(0, len(words)), f"http://{token(draw)}.example.com/{token(draw)}")
        footer = draw.choice(("", "\n-- \nList list@example.org\n", f"\n{'_' * 40}\nLeave: {token(draw)}\n"))
        return f"{token(draw)}\n{' '.join(words)}\n{token(draw)} {token(draw)}\n{footer}"

    return sent(), sent()


def copy(draw: Random, texts: list[str]) -> tuple[str, str]:
    """A text, perhaps with figures in it, and the same corrected, trimmed or with a new date."""
    text = " ".join(
        [draw.choice(texts), *(filled(one, draw) for one in draw.sample(REPORTS, draw.randint(0, 2)))]
    )
    words = text.split(" ")
    change = draw.randrange(4)
    if change == 0:
        for _ in range(1 + len(words) // 60):
            words[draw.randrange(len(words))] = draw.choice(NAMES)
    elif change == 1:
        words = words[: -1 - len(words) // 12]
    elif change == 2:
        words = ["Updated", draw.choice(DAYS), filled("DATE: TIME:", draw), *words]
    else:
        figures = [at for at, word in enumerate(words) if word[:1].isdigit()]
        if figures:
            words[draw.choice(figures)] = str(draw.randint(1, 999))
    return text, " ".join(words).replace(",", "")
