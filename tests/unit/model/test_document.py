"""Times in and out; what makes a document unusable."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from neardup.errors import DocumentError, SettingsError
from neardup.model.document import FLUSH, AssumedTime, Document, Prepared, encode_text, prepare
from neardup.model.times import MAX_TIME_MS, MIN_TIME_MS, format_time, parse_time, time_argument

MOMENTS = st.datetimes(timezones=st.timezones() | st.just(UTC))
LIMITS = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 29, tzinfo=UTC)
TIMES = st.integers(MIN_TIME_MS, MAX_TIME_MS)


# -- times --


@given(TIMES)
def test_what_is_told_is_understood(milliseconds):
    assert parse_time(format_time(milliseconds)) == milliseconds


@given(TIMES)
def test_a_time_is_told_as_python_tells_it(milliseconds):
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    precision = "milliseconds" if milliseconds % 1_000 else "seconds"
    assert format_time(milliseconds) == moment.isoformat(timespec=precision).replace("+00:00", "Z")


@given(MOMENTS.filter(lambda moment: LIMITS[0] < moment < LIMITS[1]))
def test_a_moment_is_its_milliseconds_in_utc_rounded_down(moment):
    expected = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    assert parse_time(moment) == expected
    assert parse_time(moment.isoformat()) == expected
    assert parse_time(f" {moment.isoformat(sep=' ')}\n") == expected


@given(st.integers(MIN_TIME_MS, 99_999_999_999_999))
@example(1_087_905_324_103)  # a product of floats is a little less
def test_seconds_with_decimals_are_the_milliseconds_that_they_say(milliseconds):
    seconds = milliseconds / 1_000
    assert parse_time(seconds) == parse_time(np.float64(seconds)) == milliseconds
    assert parse_time(f"{abs(milliseconds) // 1_000:09}.{abs(milliseconds) % 1_000:03}") == abs(milliseconds)


@given(MOMENTS)
def test_any_moment_is_a_time_or_refused_by_name(moment):
    milliseconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    if MIN_TIME_MS <= milliseconds <= MAX_TIME_MS:
        assert parse_time(moment) == milliseconds
    else:
        with pytest.raises(ValueError, match="years 1 to 9999"):
            parse_time(moment)


@pytest.mark.parametrize(("value", "expected"), [
    (0, 0), (1, 1_000), (1.5, 1_500), (-1, -1_000), (-0.001, -1), (-0.0005, -1), (True + 1, 2_000),
    (99_999_999_999, 99_999_999_999_000), (100_000_000_000, 100_000_000_000), (-100_000_000_000, -100_000_000_000),
    (1_795_251_600_000.0, 1_795_251_600_000), (253_402_300_799, 253_402_300_799),
    (MAX_TIME_MS, MAX_TIME_MS), (MIN_TIME_MS, MIN_TIME_MS), (-62_135_596_800, MIN_TIME_MS),
    ("1970-01-01", 0), ("1970-01-01T00:00", 0), ("1970-01-01T01:00:00+01:00", 0), ("19700101T000000Z", 0),
    ("1969-12-31T23:59:59.999Z", -1), (datetime(1970, 1, 1), 0),  # noqa: DTZ001 - naive is UTC
    (datetime(1970, 1, 1, tzinfo=timezone(timedelta(hours=2))), -7_200_000),
    ("1795251600", 1_795_251_600_000), ("1795251600.5", 1_795_251_600_500), (" 1695110160000 ", 1_695_110_160_000),
    ("20261121", 1_795_219_200_000),
    ("Sat, 21 Nov 2026 09:00:00 +0000", 1_795_251_600_000), ("21 Nov 2026 10:00 +0100", 1_795_251_600_000),
    ("Sat, 21 Nov 2026 09:00:00 GMT", 1_795_251_600_000), ("Sat, 21 Nov 2026 04:00:00 EST", 1_795_251_600_000),
    ("Sat, 21 Nov 26 09:00:00 -0000 (UTC)", 1_795_251_600_000),
    ("2026-11-20T24:00:00Z", 1_795_219_200_000), ("2026-11-20 24:00", 1_795_219_200_000),
    ("2026-12-31T24:00:00+01:00", 1_798_758_000_000),
    ("2026-12-31T23:59:60Z", 1_798_761_600_000), ("2016-12-31T23:59:60.250Z", 1_483_228_800_250),
    ("2017-01-01T08:59:60+09:00", 1_483_228_800_000),
])  # fmt: skip
def test_times_of_every_kind(value, expected):
    assert parse_time(value) == expected


def test_the_forms_that_are_read_are_named():
    with pytest.raises(ValueError, match="is not ISO 8601") as caught:
        parse_time("20.11.2026")
    assert str(caught.value) == (
        "time '20.11.2026' is not ISO 8601 (2026-11-21T09:00:00Z), RFC 2822 (Sat, 21 Nov 2026 09:00:00 +0000), "
        "or seconds or milliseconds since 1970"
    )


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-21 09:00:00 UTC", "2026-11-21T09:00 gmt", "2026-11-21 09:00:00.000UTC", "2026-11-21 09 GMT",
        "2026-11-20 24:00:00 UTC", "2026-11-21 08:59:60 UTC", "20261121T0900 UTC",
    ],
)  # fmt: skip
def test_a_time_may_name_utc(text):
    assert parse_time(text) == parse_time("2026-11-20T24:00:00Z" if "24:" in text else "2026-11-21T09:00:00Z")


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-21 UTC",
        "2026-11-21T09:00+01:00 UTC",
        "UTC",
        "9 UTC",
        "1695110160000 UTC",
        "2026-11-21T09:00 UTCX",
    ],
)
def test_utc_alone_makes_no_time(text):
    with pytest.raises(ValueError, match="is not ISO 8601"):
        parse_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-21T09:00:00Z[UTC]", "2026-11-21T09:00Z[GMT]", "2026-11-21T09:00:00.000000001Z[Etc/UTC]",
        "2026-11-21T10:00+01:00[Europe/Berlin]", "2026-11-21T10:00+01:00[GMT+01:00]", "2026-11-21T09:00+00:00[UTC]",
        "2026-11-21 09:00:00 +0000 UTC", "2026-11-21 09:00:00.0001 +0000 UTC m=+0.000012345",
        "2026-11-21 10:00:00 +0100 CET", "2026-11-21 12:00:00 +0300 +03", "2026-11-21 14:45:00 +0545 +0545",
    ],
)  # fmt: skip
def test_the_offset_decides_where_a_zone_follows_it_as_java_and_go_write_them(text):
    assert parse_time(text) == parse_time("2026-11-21T09:00:00Z")


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-21 10:00:00 +0100 UTC", "2026-11-21T10:00+01:00[Etc/GMT]", "2026-11-21T10:00+99:00[Europe/Berlin]",
        "2026-11-21T10:00+01:00[!Europe/Berlin]", "2026-11-21T10:00Z CEST",
    ],
)  # fmt: skip
def test_an_offset_that_its_zone_contradicts_is_no_time(text):
    with pytest.raises(ValueError, match="is not ISO 8601"):
        parse_time(text)


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("2026-11-21 09:00:00 CEST", "CEST"),
        ("2026-11-21 09:00:00.250 UT1", "UT1"),
        ("2026-11-21T09:00+01:00[UTC]", "UTC"),
        ("Sat, 21 Nov 2026 09:00:00 CEST", "CEST"),
    ],
)
def test_of_a_time_in_a_zone_with_a_name_it_is_said_that_an_offset_is_read(text, zone):
    with pytest.raises(ValueError, match=rf"; write the zone '{zone}' as Z or an offset, such as \+02:00$"):
        parse_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "1695110160000Z", "169511016000Z", "1695110160000+00:00", "1695110160000.5Z", " 1695110160000 Z",
        "169511016000000", "20261121090000Z",
    ],
)  # fmt: skip
def test_a_number_with_a_zone_is_not_read_as_a_date(text):
    hint = (
        "; write seconds or milliseconds as a number without a zone, and a T between a date and a time of day"
    )
    with pytest.raises(ValueError, match=f"is not ISO 8601 .*{hint}$"):
        parse_time(text)


def test_a_zone_in_parentheses_without_an_offset_is_no_utc():
    """Such times were read as UTC, in silence."""
    with pytest.raises(ValueError, match="write the zone 'CEST' as Z or an offset"):
        parse_time("Tue, 03 Mar 2020 10:00:00 (CEST)")
    for zone in ("(UTC)", "GMT (Greenwich)", "+0000 (GMT)", "(gmt)"):
        assert parse_time(f"Tue, 03 Mar 2020 10:00:00 {zone}") == parse_time("2020-03-03T10:00:00Z")


def test_a_text_that_is_too_long_for_a_time_is_refused_at_once():
    """One of 3,000 characters took half a minute, and twice as many eight times as long."""
    with pytest.raises(ValueError, match="is not ISO 8601"):
        parse_time("1:1" * 1_000_000)


@pytest.mark.parametrize("text", ["11/21/2026 09:00 PM", "2026-11-21T25:00:00Z", f"09:00 {'a' * 99}"])
def test_of_other_times_that_are_not_read_nothing_is_said_of_zones(text):
    with pytest.raises(ValueError, match=r"milliseconds since 1970$"):
        parse_time(text)


def test_nanoseconds_are_refused_with_what_a_number_is():
    with pytest.raises(
        ValueError, match=r"time 1795900000000000000 is outside the years .* seconds or milliseconds"
    ):
        parse_time(1_795_900_000_000_000_000)


def test_a_moment_out_of_reach_is_told_as_people_write_it():
    with pytest.raises(ValueError, match=r"time 0001-01-01T00:00:00\+01:00 is outside the years"):
        parse_time(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))))


@pytest.mark.parametrize("value", [
    "", "now", "21.11.2026", "11/21/2026", "20261121090000", "2026-11-21T24:30:00Z", "2026-11-21T12:00:60Z",
    "2026-11-21T24:00:01", "9999-12-31T24:00:00Z", "Sat, 21 Nov 2026 09:00:00 CET", "Sat, 31 Feb 2026 09:00:00 +0000",
    "Sat, 21 Nov 2026 09:00:00 +0000 and more",
    "2026-11-21T25:00:00", "2026-02-30", None, True, False, float("nan"), float("inf"),
    float("-inf"), [], {}, b"2026-11-21", 1e18, -1e18, MAX_TIME_MS + 1, MIN_TIME_MS - 1, 10**400,
    "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    datetime.max.replace(tzinfo=timezone(-timedelta(hours=1))),
])  # fmt: skip
def test_what_is_no_time_is_refused_by_name(value):
    with pytest.raises(ValueError, match="time "):
        parse_time(value)
    with pytest.raises(SettingsError, match="setting now is"):
        time_argument("now", value)


# -- documents --


def now():
    return 123


def test_a_mapping_without_a_time_has_it_in_the_fields_that_files_may_have_it_in():
    for name in ("timestamp", "@timestamp"):
        for lacking in ({}, {"time": None}, {"time": ""}, {"time": np.datetime64("NaT")}):
            document = prepare({"id": "a", "text": "x", **lacking, name: 5, "other": 1}, now, 10)
            assert (document.time, document.dated, document.fields) == (5_000, True, {"other": 1})
    both = prepare({"id": "a", "text": "x", "time": 5, "timestamp": 6}, now, 10)
    assert (both.time, both.fields) == (5_000, {"timestamp": 6})
    first = prepare(
        {"id": "a", "text": "x", "timestamp": float("nan"), "@timestamp": "1970-01-01T00:00:06Z"}, now, 10
    )
    assert first.time == 6_000
    none = prepare({"id": "a", "text": "x", "time": "", "timestamp": ""}, now, 10)
    assert (none.time, none.dated) == (123, False)
    with pytest.raises(DocumentError, match="time 'noon' is not ISO 8601"):
        prepare({"id": "a", "text": "x", "timestamp": "noon"}, now, 10)


def test_a_document_is_checked_and_encoded():
    assert prepare(Document("a", "Ä", 1), now, 10) == Prepared("a", "Ä".encode(), 1_000, 0)
    undated = Prepared("a", b"x", 123, 0, {"other": 1}, dated=False)
    assert prepare({"id": "a", "text": "x", "other": 1}, now, 10) == undated
    assert prepare(Document("a", "x", fields=float("nan")), now, 10).fields is None
    assert prepare(Document("a", "x", fields=MappingProxyType({"n": 1})), now, 10).fields == {"n": 1}
    assumed = Document("a", "x", AssumedTime("1970-01-01T00:00:01Z"))
    assert prepare(assumed, now, 10) == Prepared("a", b"x", 1_000, 0, dated=False)
    assert prepare({"id": 0, "text": ""}, now, 10)[:3] == ("0", b"", 123)
    assert prepare({"id": -(2**63), "text": "x"}, now, 10).id == "-9223372036854775808"


def test_limits_are_included():
    assert prepare(Document("é" * 256, "𠮷" * 10), now, 10).text == ("𠮷" * 10).encode()


@pytest.mark.parametrize(("item", "id", "reason"), [
    ({}, None, "id is None: it must be a non-empty string or an integer of 64 bits"),
    (Document("", "x"), None, "id is ''"),
    ({"id": False, "text": "x"}, None, "id is False"),
    ({"id": ["a"], "text": "x"}, None, r"id is \['a'\]"),
    ({"id": 10**5_000, "text": "x"}, None, "id is .*64 bits"),
    ({"id": "a", "text": None}, "a", "text is NoneType, not a string"),
    ({"id": "a", "body": "x", 5: 1}, "a", r"^.*no text: there is no field 'text' \(fields: 'id', 'body', 5\)"),
    ({"id": "a", "text": 5}, "a", "text is int"),
    (Document("a", "x" * 11), "a", "text has 11 characters, the limit .max_length. is 10"),
    (Document("a", "ab\udc00"), "a", r"text has the unpaired surrogate U\+DC00 at position 2"),
    (Document("\ud800", "ab"), "\ud800", r"id has the unpaired surrogate U\+D800"),
    (Document("x" * 513, "ab"), "x" * 513, "id is longer than 512 bytes"),
    (Document("é" * 257, "ab"), "é" * 257, "id is longer than 512 bytes"),
    (Document("a", "ab", 1, "tag"), "a", r"fields is 'tag' \(str\), not a mapping of names to values"),
    (("a", "ab", 1, ["tag"]), "a", r"fields is \['tag'\] \(list\), not a mapping"),
    (Document("a", "ab", "soon"), "a", "time 'soon' is not ISO 8601"),
    (Document("a", "ab", 1e17), "a", "outside the years 1 to 9999"),
])  # fmt: skip
def test_what_cannot_be_used_is_named(item, id, reason):
    with pytest.raises(DocumentError, match=reason) as caught:
        prepare(item, now, 10)
    assert caught.value.id == id


@given(st.text(st.characters()))
def test_a_text_is_encoded_or_refused(text):
    if any(0xD800 <= ord(char) < 0xE000 for char in text):
        with pytest.raises(ValueError, match="unpaired surrogate"):
            encode_text(text)
    else:
        assert encode_text(text).decode() == text


def test_flush_says_what_it_is():
    assert repr(FLUSH) == "FLUSH"


def test_messages_show_dates_and_not_how_python_makes_them():
    early = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    with pytest.raises(
        SettingsError, match=r"setting now is '0001-01-01T00:00:00\+01:00': it must be a date"
    ):
        time_argument("now", early)
    with pytest.raises(DocumentError, match=r"id is 2026-11-21T00:00:00\+00:00: it must be"):
        prepare(Document(datetime(2026, 11, 21, tzinfo=UTC), "a"), int, 10)  # type: ignore[arg-type]
