"""docs/definitions.md says what the code does: its names, numbers and tables are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from neardup.elastic.window.codec import BOOKKEEPING, VERDICT
from neardup.model import settings as params
from neardup.model.settings import Recipe, Settings
from neardup.model.verdict import Member, PartialMatch, Verdict
from neardup.oracle import bitmap_filter
from neardup.oracle import definitions as oracle
from neardup.signing.signature import Signature
from neardup.tables import unicode as unicode_table
from neardup.tables.lexicon import QGRAM_SLOTS, WORD_SLOTS, Lexicon

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "definitions.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def code(section: str) -> set[str]:
    """What stands in backticks in a section."""
    return set(re.findall(r"`([^`\n]+)`", SECTIONS[section]))


def first_column(section: str) -> list[str]:
    rows = re.findall(r"^\| (`[^|]*) \|", SECTIONS[section], re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def test_the_fields_of_a_signature_are_listed_in_their_order():
    assert first_column("Signature") == list(Signature.__dataclass_fields__)


def test_the_fields_of_a_verdict_are_listed_in_their_order():
    assert first_column("Verdict") == list(Verdict._fields)
    assert set(PartialMatch._fields) <= code("Verdict")
    assert set(Member._fields) <= code("Group")


def test_every_mapped_field_is_named():
    text = (ROOT / "mappings" / "neardup-fields.json").read_text("utf-8")
    mapped = json.loads(text)["template"]["mappings"]["properties"]["neardup"]["properties"]
    named = code("Elasticsearch fields")
    assert named >= mapped.keys()
    assert named >= {*VERDICT, *BOOKKEEPING}


def test_what_an_index_says_of_itself_is_named():
    template = json.loads((ROOT / "mappings" / "neardup-PREFIX.json").read_text("utf-8"))
    assert code("Elasticsearch fields") >= template["template"]["mappings"]["_meta"]["neardup"].keys()


def test_the_recipe_is_the_default_one():
    assert f"    {Recipe().text(Lexicon.default().id)}\n" in SECTIONS["Recipe"]


def test_the_fingerprint_of_nothing_is_shown():
    assert oracle.fingerprint("") in code("Fingerprint")


def test_the_bits_of_the_unicode_table_are_those_of_its_reader():
    bits = re.findall(r"^\| (0x\d\d) \| `(\w+)` \|", SECTIONS["Unicode table"], re.MULTILINE)
    assert len(bits) == 8
    assert all(int(bit, 16) == getattr(unicode_table, name) for bit, name in bits)


def test_the_ends_of_sentences_are_those_of_the_table():
    classes = unicode_table.load().classes
    ends, before_space, _ = SECTIONS["Sentences"].split("\n- ")[1:]
    for text, bit in ((ends, unicode_table.END), (before_space, unicode_table.END_BEFORE_SPACE)):
        points = [int(digits, 16) for digits in re.findall(r"U\+([0-9A-F]{4})", text)]
        assert points == [cp for cp in points if classes[cp] & bit]
        assert len(points) == int(((classes & bit) != 0).sum())
        (shown,) = (marks for marks in re.findall(r"`([^`]+)`", text) if " " in marks)
        assert [ord(char) for char in shown.split()] == points


@pytest.mark.parametrize(
    ("section", "text", "value"),
    [
        ("q-gram", "q from 1 to {}, ", params.MAX_Q),
        ("q-gram", ", {} by default", params.DEFAULT_Q),
        ("doc_q", "{} by default", params.DEFAULT_THRESHOLD),
        ("Sketch", "| {} | 24 |", params.REACHES[0]),
        ("Sketch", "| {} | 32 |", params.REACHES[1]),
        ("Sketch", "{} (the default)", params.DEFAULT_REACH),
        ("Sketch", "if |A| > {}:", params.WIDE_ABOVE),
        ("Sketch", "M is 1 to {}, ", params.MAX_SKETCH_SIZE),
        ("Sketch", ", {} by default.", params.DEFAULT_SKETCH_SIZE),
        ("Simhash", "1 to {} *variants*", params.MAX_SIMHASH_VARIANTS),
        ("Simhash", "0x{:X}", params.WORDS_KEPT_BELOW),
        ("Lexicon", "| {:,} | the class of each q-gram slot", QGRAM_SLOTS),
        ("Lexicon", "| {:,} | the class of each word slot", WORD_SLOTS),
        ("Window", "`window_hours` w ({} by default", Settings().window_hours),
        ("Window", "`ahead_hours` ({})", Settings().ahead_hours),
        ("Search", "j = {}.", params.COMPLETE_SHARED),
        ("Search", "at most {:,} of the documents compared", params.MAX_SENTENCE_DOCUMENTS),
        ("Search", "at most {:,} hold", params.MAX_BAND_DOCUMENTS),
        ("Bitmap", "of {:,} bits", bitmap_filter.BITS),
        ("Bitmap", "≥ {}, or 0", bitmap_filter.SAMPLE),
        ("Bitmap", "+ {} · √", bitmap_filter.SPREAD),
        ("Bitmap", "s′ / {:,})", bitmap_filter.COMPARED_BITS),
        ("Verdict", "as the setting `matches` says ({}; all)", params.DEFAULT_MATCHES),
        ("Partial copies", "`delta` = {}", params.DEFAULT_DELTA),
        ("Partial copies", "`containment` = {}", params.DEFAULT_CONTAINMENT),
    ],
)
def test_a_number_is_that_of_the_code(section, text, value):
    assert text.format(value) in " ".join(SECTIONS[section].split())


@pytest.mark.parametrize(
    ("page", "text"),
    [("concepts.md", "the best {} matches (`--matches N`"), ("serve.md", "its {} best matches")],
)
def test_other_pages_name_the_number_of_matches_that_is_the_default(page, text):
    in_words = {5: "five", 10: "ten", 20: "twenty"}[params.DEFAULT_MATCHES]
    assert text.format(in_words) in (ROOT / "docs" / page).read_text("utf-8")
