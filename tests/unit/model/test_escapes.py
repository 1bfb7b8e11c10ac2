"""What comes from outside is made safe to show."""

from __future__ import annotations

import pytest

from neardup.model.escapes import no_formula, visible, without_passwords

FULL_WIDTH = "\uff1d\uff0b\uff0d\uff20"


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n", "\0", *FULL_WIDTH])
def test_what_a_spreadsheet_may_compute_has_an_apostrophe_before_it(first):
    assert no_formula(f"{first}cmd()") == f"'{first}cmd()"
    assert no_formula(f"a{first}") == f"a{first}"


@pytest.mark.parametrize(
    "unseen", "\xad\u034f\u061c\u200b\u200c\u200d\u200e\u2028\u202e\u2060\u2066\u3164\ufe0f\ufeff\U000e0041"
)
def test_a_character_that_cannot_be_seen_is_shown_as_its_escape(unseen):
    point = ord(unseen)
    name = f"\\U{point:08x}" if point > 0xFFFF else f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"
    assert visible(f"Jo{unseen}nes") == f"Jo{name}nes"
    assert visible(unseen) == name


@pytest.mark.parametrize(
    "seen",
    ["\u0645\u06cc\u200c\u062e", "\U0001f468\u200d\U0001f469", "\u2764\ufe0f", "a\u0301 \u00a0\n\t\u20ac"],
)
def test_a_character_that_changes_what_is_seen_stays(seen):
    assert visible(seen) == seen


@pytest.mark.parametrize("before", ["", "'", "window="])
@pytest.mark.parametrize("password", ["hush", "//hush", "a/hush", "a:hush", "a@hush"])
def test_a_password_before_a_host_and_its_port_is_not_shown(before, password):
    message = without_passwords(f"{before}scorer:{password}@search:9200/news does not exist")
    assert message.endswith("***@search:9200/news does not exist")
    assert "hush" not in message
