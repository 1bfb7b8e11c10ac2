"""What comes from outside is made safe to show."""

from __future__ import annotations

import pytest

from neardup.model.escapes import no_formula, without_passwords

FULL_WIDTH = "\uff1d\uff0b\uff0d\uff20"


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n", "\0", *FULL_WIDTH])
def test_what_a_spreadsheet_may_compute_has_an_apostrophe_before_it(first):
    assert no_formula(f"{first}cmd()") == f"'{first}cmd()"
    assert no_formula(f"a{first}") == f"a{first}"


@pytest.mark.parametrize("before", ["", "'", "window="])
@pytest.mark.parametrize("password", ["hush", "//hush", "a/hush", "a:hush", "a@hush"])
def test_a_password_before_a_host_and_its_port_is_not_shown(before, password):
    message = without_passwords(f"{before}scorer:{password}@search:9200/news does not exist")
    assert message.endswith("***@search:9200/news does not exist")
    assert "hush" not in message
