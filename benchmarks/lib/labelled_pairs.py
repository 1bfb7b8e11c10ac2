"""Pairs of texts whose kind is known by construction: copies, forms, quotes, campaigns.

They imitate people and programs, and do not use the rules that find kinds (docs/definitions.md, Kinds): a grammar with
slots, mail programs' ways to quote, a mailer's personal fields, an editor's changes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from benchmarks.lib import edits, kind_edits
from benchmarks.lib.kind_fillings import FILLS, code, filled
from benchmarks.lib.kind_source import Source


class LabelledPair(NamedTuple):
    """Two texts, and how the second was made."""

    first: str
    second: str
    way: str


Make = Callable[[Source], tuple[str, str]]

_FORMS: Final = {
    "weather": "Weather for <city>\n<date>, issued <time>\nToday <sky>, high <degrees>, low <degrees>. Wind <wind>, "
    "<digit> to <number> knots.\nTonight <sky>, <degrees>. Sunrise <time>, sunset <time>.\nRain in the last day "
    "<percent> mm, this month <percent> mm. Barometer <number> hPa. Pollen count <number>.\nTides: high <time> and "
    "<time>, low <time> and <time>. Next report at <time>.\n",
    "production": "Output of the works came to <number> tons in the month to <date>, against <number> tons a month "
    "before and <number> a year ago, the company said. Stocks were <number> tons on <date>. Sales of <money> dlrs "
    "compare with <money> dlrs, net profit of <money> with <money>. The shares <moved> <percent> to <money> by "
    "<time>. In the year to date it shipped <number> tons, <percent> pct more than in the same period.\n",
    "bill": "Statement of account\nNumber <number>\nDate <date>\nPeriod <date> to <date>\n\nBalance brought forward "
    "<money>\nPayments received <money>\nStanding charge <money>\nUnits used <number> at <percent>\nUnits used at the "
    "night rate <number> at <percent>\nTax <percent> % of <money>\nTotal due <money>\nPay by <date>. Meter read on "
    "<date>: <number>; before: <number>.\n",
    "Rechnung": "Rechnung Nr. <number> vom <digit>.<digit>.20<digit><digit>\nIhre Kundennummer: <number>\n\nPos. 1 "
    "Wartung, <number> Stunden zu <money> EUR: <money> EUR\nPos. 2 Material: <money> EUR\nPos. 3 Anfahrt, <number> km "
    "zu <percent> EUR: <money> EUR\n\nZwischensumme <money> EUR\nzuzüglich 19 % Mehrwertsteuer <money> EUR\n"
    "Rechnungsbetrag <money> EUR\nZahlbar bis <digit>.<digit>.20<digit><digit> auf das Konto <number>\n",
    "status": "host report <date> <time>\nup <number> days, load <percent> <percent> <percent>\nmemory <number> of "
    "<number> MB used, swap <number>\n/dev/sda1 <percent> % full, <number> MB free\n/dev/sdb1 <percent> % full, "
    "<number> MB free\nrequests <number>, errors <number>, median <percent> ms, slowest <number> ms\nqueue length "
    "<number>, oldest <number> s\nlast backup <date> <time>, <number> files, <number> MB\n",
    "prices": "Market prices, <date>\napples <money> a crate, pears <money>, plums <money>\npotatoes <money> a sack, "
    "carrots <money>, onions <money>, leeks <money>\nwheat <money> a ton, barley <money>, oats <money>, rape "
    "<money>\nlambs <money> a head, ewes <money>, heifers <money>, bullocks <money>\neggs <percent> a dozen, butter "
    "<percent> a pound, honey <percent>\n<number> head of cattle and <number> sheep were offered.\n",
    "departures": "Sailings from <date>\nMonday <time> <time> <time>\nTuesday <time> <time> <time>\nWednesday <time> "
    "<time> <time>\nThursday <time> <time> <time>\nFriday <time> <time> <time> <time>\nSaturday <time> <time>\nSunday "
    "<time> <time>\nAdults <money>, children <money>, cars <money>, bicycles <percent>. Check in <digit><digit> "
    "minutes before. Information: <phone>.\n",
    "match report": "Attendance <number>. Half-time <digit>-<digit>, full time <digit>-<digit>. Shots <number> to "
    "<number>, on target <digit> to <digit>, corners <digit> to <digit>, fouls <number> to <number>, possession "
    "<percent> %. Goals: <digit><digit> minutes, <digit><digit> minutes. Played on <date> at <time>; the return is on "
    "<date>. After it the home side has <number> points from <number> matches, the visitors have <number>.\n",
}  # fmt: skip
_NAMED: Final = {
    "vacancy": "Vacancy number <number>\nPosted <date>\n\n<company> of <city> looks for a <trade>. You will work "
    "<number> hours a week at our site in <ward>, with a team of <digit>. Pay from <money> to <money> a year. Write to "
    "<name>, <phone>, by <date>. Please quote the vacancy number in all letters. We welcome all who apply.\n",
    "licence": "Permission is granted to <name> of <company>, <city>, under number <number>, from <date> to <date>, to "
    "use the grounds at <ward> for the event named <word> with up to <number> guests, on payment of <money>. Signed on "
    "<date> by <name>. This permission may not be passed on. The grounds must be left as they were found.\n",
}  # fmt: skip


def _form(template: str) -> Make:
    """A form with the small print that is on all of them."""

    def make(source: Source) -> tuple[str, str]:
        small_print = source.prose(source.rng.randrange(200, 900))
        return (
            f"{filled(template, source.rng)}\n{small_print}\n",
            f"{filled(template, source.rng)}\n{small_print}\n",
        )

    return make


# ---- quotes: a message, and an answer that has it ----


def _quoted(text: str, mark: str, width: int) -> str:
    """Quoted as by a mail program: every line after a mark, long lines cut."""
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, width) or [""]]
    return "\n".join(f"{mark}{line}" for line in lines)


def _message(source: Source) -> str:
    return "\n\n".join(
        source.prose(source.rng.randrange(200, 500)) for _ in range(source.rng.randrange(2, 5))
    )


def _answer(source: Source, message: str) -> str:
    """An answer to it: from a quarter of its length to all of it."""
    return source.prose(round(len(message) * source.rng.uniform(0.25, 1.0)))


def _below(mark: str, width: int) -> Make:
    """The answer is below the text that it answers."""

    def make(source: Source) -> tuple[str, str]:
        message = _message(source)
        said = f"On {FILLS['date'](source.rng)}, {FILLS['name'](source.rng)} wrote:\n"
        return message, f"{said}{_quoted(message, mark, width)}\n\n{_answer(source, message)}\n"

    return make


def _between(source: Source) -> tuple[str, str]:
    """Answers are between its paragraphs; above them, an older message is quoted with two marks."""
    message, rng = _message(source), source.rng
    parts = [
        f"{_quoted(each, rng.choice(('> ', '>')), 70)}\n\n{_answer(source, each)}"
        for each in message.split("\n\n")
    ]
    older = _quoted(source.prose(120), ">> ", 60)
    return message, f"{FILLS['name'](rng)} schrieb:\n{older}\n" + "\n\n".join(parts)


def _forwarded(head: str) -> Make:
    """The answer is above the quoted message, which follows a rule and the lines of its header."""

    def make(source: Source) -> tuple[str, str]:
        message = _message(source)
        return message, f"{_answer(source, message)}\n\n{filled(head, source.rng)}\n\n{message}\n"

    return make


_ENGLISH: Final = (
    "-----Original Message-----\nFrom: <name>\nSent: <date> <time>\nTo: <name>\nSubject: RE: <word> <word>"
)
_GERMAN: Final = (
    "________________________________\nVon: <name>\nGesendet: <date> <time>\nAn: <name>\nBetreff: AW: <word>"
)


# ---- campaigns: one letter to many ----


def _campaign(source: Source) -> tuple[str, str]:
    """One letter to two people, with each one's own greeting, links, numbers and footer."""
    body = [source.prose(source.rng.randrange(250, 600)) for _ in range(3)]
    return _letter(source, body), _letter(source, body)


def _letter(source: Source, body: list[str]) -> str:
    rng = source.rng
    link = f"http://{FILLS['word'](rng)}.example.com/{code(24)(rng)}?id={code(12)(rng)}"
    footer = "\n".join(
        ["-- ", f"You get this as {FILLS['word'](rng)}@{FILLS['word'](rng)}.example.org", f"Leave: {link}&leave=1",
         f"{FILLS['company'](rng)}, {FILLS['city'](rng)}, {FILLS['phone'](rng)}"]
    )  # fmt: skip
    busters = " ".join(code(rng.randrange(8, 14))(rng).lower() for _ in range(rng.randrange(6)))
    return (
        f"Dear {FILLS['name'](rng)},\n\n{body[0]}\n\n{link}\n\n{body[1]}\n{busters}\n{body[2]}\n\n{footer}\n"
    )


# ---- copies ----


def _edited(change: edits.Edit, share: float) -> Make:
    def make(source: Source) -> tuple[str, str]:
        text = _message(source)
        return text, change(text, share, source.rng, source.prose(800))

    return make


def _figures_corrected(source: Source) -> tuple[str, str]:
    """A story with one figure, date or place corrected."""
    fact = "It came to <money> on <date> in <city>, with <number> people there."
    text = _message(source)
    return f"{text}\n{filled(fact, source.rng)}", f"{text}\n{filled(fact, source.rng)}"


def _reprinted(source: Source) -> tuple[str, str]:
    """Another agency's heading, an editor's cut, a note below."""
    text = _message(source)
    head = filled("<city>, <date> (<company>) - ", source.rng)
    kept = text[: round(len(text) * source.rng.uniform(0.8, 1.0))]
    return filled("<city>, <date> - ", source.rng) + text, f"{head}{kept}\n\nCopyright <date>.\n".replace(
        "<date>", "2026"
    )


def _wrapped(source: Source) -> tuple[str, str]:
    """Lines of another width, other punctuation, all in capitals or none."""
    text = _message(source)
    other = text.upper() if source.rng.random() < 0.3 else text.translate(edits.MARKS)
    return text, textwrap.fill(other, source.rng.randrange(40, 100))


def _longer(source: Source) -> tuple[str, str]:
    """A later version with a paragraph more."""
    text = _message(source)
    more = source.prose(round(len(text) * source.rng.uniform(0.1, 0.3)))
    return text, f"{text}\n\n{more}"


WAYS: Final[dict[str, dict[str, Make]]] = {
    "form": {name: _form(template) for name, template in _FORMS.items()},
    "form with names": {name: _form(template) for name, template in _NAMED.items()},
    "quote": {
        "answer below, >": _below("> ", 76), "answer below, |": _below("| ", 72),
        "answer below, wrapped": _below(">", 50), "answers between": _between,
        "answer above, English head": _forwarded(_ENGLISH), "answer above, German head": _forwarded(_GERMAN),
    },
    "campaign": {"personal letter": _campaign},
    "copy": {
        "5 % of the words": _edited(edits.scattered_words, 0.05), "typos in 5 %": _edited(edits.typos, 0.05),
        "scanned": _edited(kind_edits.scan_errors, 0.05), "cut": _edited(kind_edits.cut, 0.2),
        "paragraphs in another order": _edited(kind_edits.blocks_swapped, 0.3), "figures put right": _figures_corrected,
        "reprinted": _reprinted, "wrapped anew": _wrapped, "a paragraph more": _longer,
    },
}  # fmt: skip
"""Ways to make pairs, by their kind; the letters of a campaign are copies of one another."""


def labelled_pairs(source: Source, what: str, count: int) -> Iterator[LabelledPair]:
    """`count` pairs from each way of making them."""
    for way, make in WAYS[what].items():
        for _ in range(count):
            yield LabelledPair(*make(source), way)
