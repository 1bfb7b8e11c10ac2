"""Where a window lies in a cluster, the names of everything that belongs to it, and the credentials.

A window is a cluster and a prefix: `https://host:9200/news`. An hour of it is the index `news-2026.11.21-09`; the
copies of that hour that the policy `route` sets aside are `news-copies-2026.11.21-09`. The alias `news` stands for all
hours, and writes to it go to the current one. `neardup-state-news` holds the scorer's lease and commit; templates,
pipeline and lifecycle policy begin with `neardup-news`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from neardup.errors import SettingsError
from neardup.model.hours import hour_name, hour_named

SCHEMES: Final = ("http", "https")
LONGEST_PREFIX: Final = 100
"""Elasticsearch allows index names of 255 bytes; the longest of ours has 21 more than its prefix."""
FIELDS_COMPONENT: Final = "neardup-fields"
HOURLY_COMPONENT: Final = "neardup-hourly"
STATE_DOCUMENT: Final = "window"
"""The id of the state document in the index of the state."""

CREDENTIAL_VARIABLES: Final = ("api_key", "username", "password", "ca_certs")
"""Credentials that the environment can set, as NEARDUP_API_KEY and so on."""
SECRET_VARIABLES: Final = ("api_key", "password")
CREDENTIAL_KEYS: Final = (*CREDENTIAL_VARIABLES, "verify_certs")

_PREFIX_RE: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")
_HOST_RE: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?")
_KEY_RE: Final = re.compile(r"[!-~]+")
_COPIES: Final = "copies-"
_HOST_AND_PORT_RE: Final = re.compile(r"(?:[\w.-]+|\[[0-9a-f:.]+\]):\d{1,5}(?:/|$)", re.IGNORECASE)
_USER_AND_HOST_RE: Final = re.compile(r"[^/:@]+:(?!//).*@[\w.-]+(?::\d{1,5})?(?:/|$)")
"""A user and a password before a host."""
_HALF_URL_RE: Final = re.compile(r"(https?)(?!://[^/\\])(?::[/\\]*|;[/\\]+|[/\\]{2,})", re.IGNORECASE)
"""A scheme with something else than :// behind it."""
_OTHER_URL_RE: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_AROUND: Final = " \t\r\n'\""
_EXAMPLE: Final = "a URL such as https://localhost:9200/news"
_SECRETS_ELSEWHERE: Final = (
    "a URL without user and password: set NEARDUP_USERNAME and NEARDUP_PASSWORD, or NEARDUP_API_KEY"
)


def is_address(window: str) -> bool:
    """Whether `window` means a window in a cluster, not a directory.

    >>> is_address("https://localhost:9200/news"), is_address("news.window")
    (True, False)
    """
    return window.lower().startswith(("http://", "https://"))


def check_no_address(window: str) -> None:
    """Raises `SettingsError` if `window`, which is not a URL, was most likely meant as one: `localhost:9200/news` would
    otherwise become a directory of that name, while its user looks for the documents in the cluster. Also raises it if
    `window` is a URL of another scheme, stands within white space or quotes, is empty (which would be the working
    directory), or begins with ~/, which only a shell expands: a user who deletes a directory called ~ may delete the
    home directory instead. A password is not repeated.

    >>> check_no_address("news.window"), check_no_address("./localhost:9200/news")
    (None, None)
    """
    if not window:
        raise SettingsError("window", window, "a directory or the URL of a window, and not empty")
    if window.startswith("~/"):
        expected = f"a path without ~, which only a shell expands (the directory of that name is ./{window})"
        raise SettingsError("window", window, expected)
    bare = window.strip(_AROUND)
    if bare != window and is_address(bare):
        expected = "a URL, without white space or quotes around it"
        raise SettingsError("window", _without_secrets(bare), expected)
    schemed = _HALF_URL_RE.match(bare)
    scheme, rest = (schemed[1].lower(), bare[schemed.end() :]) if schemed else ("http", bare)
    is_entered = _USER_AND_HOST_RE.match(rest) is not None
    host, slash, path = rest.partition("/")
    rest = rest.rpartition("@")[2] if is_entered else host.rpartition("@")[2] + slash + path
    if schemed is None and not is_entered and not _HOST_AND_PORT_RE.match(rest):
        if _OTHER_URL_RE.match(bare):
            raise SettingsError("window", _without_secrets(bare), f"a directory, by its path, or {_EXAMPLE}")
        return
    shown = (schemed[0] if schemed else "") + rest
    meant = f"{scheme}://{rest or 'localhost:9200/news'}"
    raise SettingsError(
        "window", shown, f"a directory or a URL: did you mean {meant} (the directory is ./{shown})?"
    )


@dataclass(frozen=True)
class Address:
    """A cluster's `url` (scheme, host, port) and the `prefix` of everything in it that is ours."""

    url: str
    prefix: str

    def __str__(self) -> str:
        return f"{self.url}/{self.prefix}"

    def hourly(self, hour: int) -> str:
        """The index of an hour (whole hours since 1970 UTC).

        >>> Address("http://localhost:9200", "news").hourly(498681)
        'news-2026.11.21-09'
        """
        return f"{self.prefix}-{hour_name(hour)}"

    def copies(self, hour: int) -> str:
        """The index of the copies of an hour that the policy `route` sets aside."""
        return f"{self.prefix}-{_COPIES}{hour_name(hour)}"

    def hour_of_index(self, name: str) -> tuple[int, bool] | None:
        """(hour, whether of copies) of an index of this window; None for any other name.

        >>> Address("http://localhost:9200", "news").hour_of_index("news-copies-2026.11.21-09")
        (498681, True)
        """
        if not name.startswith(self.prefix + "-"):
            return None
        rest = name[len(self.prefix) + 1 :]
        hour = hour_named(rest.removeprefix(_COPIES))
        return None if hour is None else (hour, rest.startswith(_COPIES))

    def has(self, name: str) -> bool:
        """Whether our roles name an index or a pattern of this name.

        >>> Address("http://localhost:9200", "news").has("news-*"), Address("http://localhost:9200", "news").has("raw")
        (True, False)
        """
        return name in (self.prefix, self.state) or name.startswith(f"{self.prefix}-")

    @property
    def alias(self) -> str:
        """The alias of all hours; writes to it go to the current one."""
        return self.prefix

    @property
    def pattern(self) -> str:
        """Every index of documents, copies too."""
        return f"{self.prefix}-*"

    @property
    def copies_pattern(self) -> str:
        """Every index of copies."""
        return f"{self.prefix}-copies-*"

    @property
    def state(self) -> str:
        """The hidden index of the scorer's lease and commit."""
        return f"neardup-state-{self.prefix}"

    @property
    def template(self) -> str:
        """The index template of the hours."""
        return f"neardup-{self.prefix}"

    @property
    def custom(self) -> str:
        """The component template in which the user's own settings and mappings are."""
        return f"{self.prefix}@custom"

    @property
    def copies_template(self) -> str:
        """The index template of the copies."""
        return f"neardup-{self.prefix}-copies"

    @property
    def alias_template(self) -> str:
        """The index template that keeps an index from being made where the alias belongs."""
        return f"neardup-{self.prefix}-alias"

    @property
    def state_template(self) -> str:
        """The index template of the state."""
        return self.state

    @property
    def pipeline(self) -> str:
        """The ingest pipeline that signs, the final one of every hour."""
        return f"neardup-{self.prefix}"

    @property
    def policy(self) -> str:
        """The lifecycle policy that deletes hours."""
        return f"neardup-{self.prefix}"


def parse_address(text: str) -> Address:
    """The address that `text` gives, such as `https://localhost:9200/news`.

    Raises `SettingsError` naming what is wrong with it; a password in it is not repeated.

    >>> parse_address("http://LOCALHOST:9200/news/")
    Address(url='http://localhost:9200', prefix='news')
    """
    shown = _without_secrets(text)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # its message would repeat what may be half a password
        raise SettingsError("window", shown, _EXAMPLE) from None
    if shown != text:
        raise SettingsError("window", shown, _SECRETS_ELSEWHERE)
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise SettingsError("window", text, _EXAMPLE)
    if parts.query or parts.fragment:
        raise SettingsError("window", text, "a URL without ? and #, such as https://localhost:9200/news")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else _in_ascii(text, parts.hostname)
    default = 443 if parts.scheme == "https" else 80
    return Address(f"{parts.scheme}://{host}:{port or default}", _prefix(text, parts.path.strip("/")))


def _in_ascii(text: str, name: str) -> str:
    """The ASCII form of a host's name, the only form that the transport takes without a further library."""
    try:
        ascii_name = name.encode("idna").decode("ascii") if _HOST_RE.fullmatch(name) else ""
        if _HOST_RE.fullmatch(ascii_name):
            return ascii_name
    except UnicodeError:  # a part of more than 63 characters, or letters that no name has
        pass
    raise SettingsError("window", text, f"{_EXAMPLE}: {name!r} cannot be the name of a host")


def _prefix(text: str, prefix: str) -> str:
    if not prefix:
        example = f"{text.rstrip('/')}/news"
        raise SettingsError("window", text, f"a URL with a prefix as its path, such as {example}")
    if not _PREFIX_RE.fullmatch(prefix) or len(prefix) > LONGEST_PREFIX:
        letters = f"at most {LONGEST_PREFIX} lower case letters, digits, _ and -, the first a letter or digit"
        raise SettingsError("window", text, f"a URL whose path is a prefix: {letters}")
    if prefix.startswith("neardup"):
        raise SettingsError(
            "window", text, "a URL whose prefix does not begin with neardup, as neardup's own names do"
        )
    if prefix.endswith("-copies"):
        raise SettingsError(
            "window", text, "a URL whose prefix does not end with -copies, as indices of copies do"
        )
    return prefix


def _without_secrets(text: str) -> str:
    """`text` without anything that could be a user and a password."""
    before, separator, after = text.partition("://")
    scheme, rest = (before, after) if separator else ("", text)
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"


@dataclass(frozen=True)
class Credentials:
    """Credentials of the user, and how the identity of the cluster is verified.

    `api_key` (as Elasticsearch gives it, encoded) or `username` and `password`, or neither; `ca_certs`, a file of PEM
    certificates to trust instead of the usual ones; `verify_certs` False trusts anybody. Secrets are never shown.
    Raises `SettingsError` for values that cannot be sent or used.
    """

    api_key: str | None = field(default=None, repr=False)
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_certs: str | None = None
    verify_certs: bool = True

    def __post_init__(self) -> None:
        if self.api_key is not None and (self.username is not None or self.password is not None):
            raise SettingsError("api_key", "***", "given alone, not together with username and password")
        if self.api_key is not None and not _KEY_RE.fullmatch(self.api_key):
            # The transport refuses such a header, and repeats it in its message.
            form = "the encoded key: ASCII, without white space or a line end (as of a file that it was read from)"
            raise SettingsError("api_key", "***", form)
        if (self.username is None) != (self.password is None):
            missing = "username" if self.username is None else "password"
            raise SettingsError(missing, None, "given: username and password belong together")
        if self.ca_certs is not None and not Path(self.ca_certs).is_file():
            raise SettingsError("ca_certs", self.ca_certs, "a file of certificates (PEM)")
        if not isinstance(self.verify_certs, bool):
            raise SettingsError("verify_certs", self.verify_certs, "true or false")

    @property
    def secret(self) -> bool:
        """Whether there is a secret to send."""
        return self.api_key is not None or self.password is not None

    def hidden(self, text: str) -> str:
        """`text` with *** for each secret that is in it, as it is or as it is sent.

        >>> Credentials(username="u", password="hush").hidden("Basic dTpodXNo, hush")
        'Basic ***, ***'
        """
        user = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
        for secret in (self.api_key, self.password and user, self.password):
            text = text.replace(secret, "***") if secret else text
        return text

    @classmethod
    def from_settings(cls, table: Mapping[str, Any], environ: Mapping[str, str]) -> Credentials:
        """The credentials of the table `[elasticsearch]` in neardup.toml, overridden by those of the environment.

        NEARDUP_API_KEY, NEARDUP_USERNAME with NEARDUP_PASSWORD, NEARDUP_CA_CERTS; an API key in the environment
        replaces a user in the file and the other way round.
        """
        for key, value in table.items():
            if key != "verify_certs" and not (isinstance(value, str) and value):
                raise SettingsError(f"elasticsearch.{key}", type(value).__name__, "a string")
        values = dict(table)
        given = {
            key: environ[name]
            for key in CREDENTIAL_VARIABLES
            if environ.get(name := f"NEARDUP_{key.upper()}")
        }
        if "api_key" in given:
            values.pop("username", None)
            values.pop("password", None)
        elif given.keys() & {"username", "password"}:
            values.pop("api_key", None)
        return cls(**{**values, **given})
