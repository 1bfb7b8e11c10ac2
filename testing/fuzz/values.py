"""Fuzz targets for single values: times, documents, settings, addresses, judged pairs, kept results."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from testing.fuzz.readers import room
from testing.fuzz.target import Target, refusal, told

from neardup.cli.config import load
from neardup.elastic.http.address import Address, Credentials, check_no_address, is_address, parse_address
from neardup.errors import DocumentError, NeardupError, SettingsError
from neardup.evaluation.corpus import Corpus
from neardup.evaluation.results import ResultCache
from neardup.evaluation.truth import read_truth
from neardup.model.document import Document, prepare
from neardup.model.hours import hour_name, hour_named
from neardup.model.settings import Settings
from neardup.model.times import format_time, parse_time, time_argument

SECRET = "hunter2secret"
SECRETS = ("NEARDUP_API_KEY", "NEARDUP_PASSWORD")


def _json_of(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except ValueError:
        return data.decode("utf-8", "surrogateescape")


def _time(data: bytes) -> None:
    """A time is refused, or stays the same when it is written and read again."""
    value = _json_of(data)
    try:
        moment = parse_time(value)
    except ValueError as error:
        told(error)
        assert isinstance(refusal(lambda: time_argument("time", value)), SettingsError)
        return
    written = format_time(moment)
    assert parse_time(written) == moment == time_argument("time", value)
    assert datetime.fromisoformat(written).tzinfo is not None


def _document(data: bytes) -> None:
    """An invalid document is a `DocumentError`, and every accepted one can be stored."""
    value = _json_of(data)
    for item in (value, Document("a", "b", value), (value,) * (len(data) % 5), {"id": value, "text": value}):
        try:
            prepared = prepare(item, lambda: 0, 1_000)
        except DocumentError as error:
            told(error)
            continue
        assert prepared.id
        prepared.text.decode()
        format_time(prepared.time)


def _config(data: bytes) -> None:
    """A file of settings, and an environment."""
    text, *variables = data.split(b"\0")
    environ = dict(each.decode("utf-8", "surrogateescape").partition("=")[::2] for each in variables)
    environ = {"NEARDUP_" + name.upper(): value for name, value in environ.items()}
    environ.pop("NEARDUP_CONFIG", None)
    file = room() / "neardup.toml"
    file.write_bytes(text)
    refused = refusal(lambda: _used(load(file, environ)))
    places = (*environ, *(value for name, value in environ.items() if name not in SECRETS))
    if refused is not None and not any(SECRET in place for place in (text.decode("latin-1"), *places)):
        assert SECRET not in str(refused), "a secret is told"


def _used(config: Any) -> None:
    config.check_secrets(None)
    assert config.with_options(threshold="0.9", reach=0.5).settings.threshold_fraction < 1
    assert SECRET not in repr(config.credentials)


def _settings(data: bytes) -> None:
    """Settings of any type: every accepted value has the right type."""
    values = _json_of(data)
    if isinstance(values, dict):
        refusal(
            lambda: Settings(
                **{name: value for name, value in values.items() if name in Settings.__dataclass_fields__}
            )
        )


def _address(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    refused = [refusal(lambda: check_no_address(text)), refusal(lambda: parse_address(text))]
    is_address(text)
    if refused[1] is None:
        address = parse_address(text)
        assert parse_address(str(address)) == address
        assert address.hour_of_index(address.hourly(498_681)) == (498_681, False)
    Address("http://localhost:9200", "news").hour_of_index(text)
    scheme, separator, rest = text.partition("://")
    if separator and "/" not in rest.partition("@")[0]:
        told = [
            refusal(lambda: parse_address(f"{scheme}://u:{SECRET}@{rest}")),
            refusal(lambda: check_no_address(f"u:{SECRET}@{rest}")),
        ]
        assert not any(SECRET in str(each) for each in told if each is not None), told
    hour = hour_named(text)
    assert hour is None or hour_name(hour) == text


def _credentials(data: bytes) -> None:
    value = _json_of(data)
    if not isinstance(value, dict):
        return
    table = {
        name: value[name]
        for name in ("api_key", "username", "password", "ca_certs", "verify_certs")
        if name in value
    }
    environ = {name: each for name, each in value.items() if isinstance(each, str)}
    refused = refusal(lambda: repr(Credentials.from_settings(table, environ)))
    assert refused is None or SECRET not in str(refused)


IDS = ("a", "b", "c", "id1", "ä")


@cache
def _corpus() -> Corpus:
    return Corpus(IDS, tuple(f"text of {id}" for id in IDS))


def _truth(data: bytes) -> None:
    control, data = (data[0], data[1:]) if data else (0, data)
    options: dict[str, Any] = {"judged_only": (None, True, False)[control % 3]}
    if control & 4:
        options["copy_from"] = 0.5
    if control & 8:
        options["copy_labels"] = ["near", "x"]
    file = room() / "judged.tsv"
    file.write_bytes(data)
    try:
        truth = read_truth(file, _corpus(), **options)
    except NeardupError as error:
        told(error)
        return
    assert not truth.copies & truth.others
    assert truth.copies
    orjson.dumps(truth.facts())
    assert truth.tally(truth.copies).correct == len(truth.copies)


def _result(data: bytes) -> None:
    """If a file is not a kept result, the result is measured again."""
    cache = ResultCache(Path(room()))
    cache._path("neardup", "key").write_bytes(data)
    cache.find("neardup", "key")


TOML = (
    b'window = "https://localhost:9200/news"\nthreshold = 0.8\nroutes = ["sentences"]\nmatches = "all"\n'
    b'max_memory = "1.5GB"\nwindow_hours = 24\n[recipe]\nfold_case = true\nq = 4\n[fields]\ntext = "body"\n'
    b'time = ["published", "t"]\n[elasticsearch]\nusername = "u"\npassword = "hunter2secret"\n'
)
TIMES = (
    "2026-11-21T09:00:00Z",
    "Sat, 21 Nov 2026 10:00:00 +0100",
    "1795251600",
    "2026-11-21T24:00:00Z",
    "2016-12-31T23:59:60Z",
    "20261121T090000.5+0530",
    "2026-W47-6",
    "9999-12-31T23:59:59.999Z",
    "0001-01-01T00:00:00+14:00",
    "1795251600000",
    "1e300",
    "-1",
)

TARGETS = [
    Target(
        "times",
        _time,
        lambda: (
            [text.encode() for text in TIMES]
            + [orjson.dumps(text) for text in TIMES]
            + [b"true", b"null", b"[1]"]
        ),
    ),
    Target(
        "documents",
        _document,
        lambda: [
            b'{"id": 7, "text": "x", "time": "2026-11-21"}',
            b'["a", "b", 1, {}]',
            b"-1e308",
            b'"\\u0000"',
            b"18446744073709551615",
        ],
    ),
    Target(
        "configuration",
        _config,
        lambda: [
            TOML,
            TOML + b"\0threshold=0.6\0matches=all\0api_key=hunter2secret\0routes=a,b\0fsync=yes",
            b"max_memory='1e9'\nx=1",
        ],
    ),
    Target(
        "settings",
        _settings,
        lambda: [
            b'{"threshold": 0.7, "matches": 3, "max_memory": 10, "window_hours": 24}',
            b'{"threshold": "2/3", "policy": "drop", "routes": ["sentences"], "threads": 0}',
            b'{"keep_hours": 30, "partial": true, "retrieval": "complete", "max_length": 9, "fsync": 1}',
        ],
    ),
    Target(
        "addresses",
        _address,
        lambda: [
            b"https://localhost:9200/news",
            b"http://[::1]:9200/a-b_c",
            b"localhost:9200/news",
            b"https:/x",
            b"2026.11.21-09",
            b"https://a@b:70000/x?y#z",
            b"news-copies-2026.11.21-09",
        ],
    ),
    Target(
        "credentials",
        _credentials,
        lambda: [
            b'{"username": "u", "password": "hunter2secret", "NEARDUP_API_KEY": "hunter2secret"}',
            b'{"api_key": ["hunter2secret"]}',
            b'{"verify_certs": 0, "ca_certs": "x"}',
        ],
    ),
    Target(
        "judged_pairs",
        _truth,
        lambda: [
            b"\0id1\tid2\na\tb\t1\nb\tc\t0\n# x\na\t\xc3\xa4\t?\n",
            b"\x04a\tb\t0.7\nb\tc\t1e-3",
            b"\x08a\tb\tnear\nb\tc\tno",
        ],
    ),
    Target(
        "kept_results",
        _result,
        lambda: [b'{"key": "key", "result": {"method": "x", "points": [], "cost": {}}}'],
    ),
]
