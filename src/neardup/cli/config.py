"""neardup.toml and the environment: the settings of a command that its options do not set.

    # neardup.toml
    window = "news.window"
    threshold = 0.8
    routes = ["sentences"]
    matches = "all"

    [recipe]
    fold_case = true

    [fields]
    text = "body"
    time = "published"

    [elasticsearch]
    username = "scorer"
    password = "..."            # or api_key
    ca_certs = "ca.pem"

Options win over environment variables (`NEARDUP_THRESHOLD`, `NEARDUP_WINDOW`, ... every key of the top level), those
over the file, the file over the defaults. The file is `neardup.toml` in the working directory, or the one that is
named; a missing file is no error, a file with an unknown key is one; an unknown variable is logged, because other
programs set variables, too. Secrets are better kept in the environment (`NEARDUP_API_KEY`, `NEARDUP_USERNAME` and
`NEARDUP_PASSWORD`, `NEARDUP_CA_CERTS`); nothing ever shows them, and a file that merely lies in the working directory
does not decide to which host they go (`Config.check_secrets`).
"""

from __future__ import annotations

import difflib
import logging
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from configparser import ConfigParser
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from neardup.elastic.http.address import (
    CREDENTIAL_KEYS,
    CREDENTIAL_VARIABLES,
    SECRET_VARIABLES,
    Credentials,
    is_address,
)
from neardup.errors import ConfigError, SettingsError
from neardup.model.settings import DEFAULT_SHOW, DEFAULT_WINDOW_HOURS, OR_ALL, Recipe, Settings
from neardup.model.source import SOURCE_FIELDS
from neardup.sources.fields import Fields
from neardup.sources.reader import LONGEST, Reader

log = logging.getLogger("neardup")

FILE_NAME: Final = "neardup.toml"
PREFIX: Final = "NEARDUP_"
ALL: Final = "all"

SETTING_KEYS: Final = tuple(field.name for field in fields(Settings) if field.name != "recipe")
RECIPE_KEYS: Final = tuple(field.name for field in fields(Recipe))
FIELD_KEYS: Final = tuple(field.name for field in fields(Fields))
TABLES: Final = {"recipe": RECIPE_KEYS, "fields": FIELD_KEYS, "elasticsearch": CREDENTIAL_KEYS}
TOP_KEYS: Final = ("window", *(key for key in SETTING_KEYS if key not in FIELD_KEYS), *TABLES)
VARIABLE_KEYS: Final = ("window", *SETTING_KEYS, "config", "token", *CREDENTIAL_VARIABLES)
"""What can be set in the environment, as `NEARDUP_` and the key in capitals."""
OTHER_VARIABLES: Final = ("NEARDUP_CPU_LEVEL", "NEARDUP_DATA", "NEARDUP_REQUIRE_NODE", "NEARDUP_TEST_")
"""How the names of variables for benchmarks and tests begin: they are not settings, and no mistake."""

_UNTRUSTED: Final = {
    "window": "names the host of {window}: give --window {window} or set NEARDUP_WINDOW",
    "ca_certs": "says which certificates to trust: set NEARDUP_CA_CERTS",
    "verify_certs": "turns the check of certificates off",
}
_UNTRUSTED_MESSAGE: Final = (
    "this file was found in the working directory, not named by you, and it {what}. Credentials from the environment "
    "are sent only where you say; if the file is yours, name it with --config {file}"
)

LONGEST_ESCAPE: Final = 12
"""Bytes of the longest way to write one character in JSON: two escapes of six."""
_SIZE_RE: Final = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s*(?:([kmgt])(i)?)?b?")
_COUNT_RE: Final = re.compile(r"\d{1,18}")


@dataclass(frozen=True)
class Config:
    """The settings from the file, the environment and the options.

    given        the settings that file, environment or options set; for the others a window keeps its own
    path         the file that was read, None if there is none
    untrusted    those of "window", "ca_certs" and "verify_certs" that only an unnamed file sets, while a secret comes
                 from the environment
    gives_reach  whether the recipe in `given` was given its reach, too
    options      the names of what options set: file and environment are for other commands, too
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    window: str | None = None
    fields: Fields = field(default_factory=Fields)
    credentials: Credentials = field(default_factory=Credentials)
    path: Path | None = None
    untrusted: frozenset[str] = frozenset()
    gives_reach: bool = False
    options: frozenset[str] = frozenset()

    def check_secrets(self, window: str | None) -> None:
        """Raises `ConfigError` if a secret of the environment would go to a host, or a holder of a certificate, that
        only an unnamed file sets: the directory may be anybody's. `window`: the value of the option, if given.
        """
        location = window or self.window
        if location is None or not is_address(location):
            return
        keys = sorted(self.untrusted - ({"window"} if window else set()))
        if keys and self.path is not None:
            what = _UNTRUSTED[keys[-1]].format(window=location)
            message = _UNTRUSTED_MESSAGE.format(what=what, file=self.path)
            raise ConfigError(str(self.path.absolute()), location, message)

    @property
    def settings(self) -> Settings:
        """All settings, with the defaults for those that are not given.

        If only `keep_hours` is given, `window_hours` is at most that: only a window knows how many it compares.
        """
        kept = self.given.get("keep_hours")
        if isinstance(kept, int) and kept and "window_hours" not in self.given:
            return Settings(**{"window_hours": min(kept, DEFAULT_WINDOW_HOURS), **self.given})
        return Settings(**self.given)

    @property
    def hours(self) -> dict[str, Any]:
        """The values of `window_hours` and `keep_hours`, as far as they are given."""
        return {name: self.given[name] for name in ("window_hours", "keep_hours") if name in self.given}

    @property
    def without_hours(self) -> Config:
        """This configuration without those: the hours that a window remembers hold."""
        return replace(self, given={name: self.given[name] for name in self.given if name not in self.hours})

    @property
    def recipe(self) -> Recipe:
        """The recipe for a window or a text that has none yet: the given one, else the default."""
        return self.settings.recipe or Recipe()

    def check_recipe(self) -> None:
        """Raises `LexiconError` or `SettingsError` for a file of the recipe that cannot be used."""
        from neardup.signing.signer import signer_for

        signer_for(self.recipe)

    @property
    def files_read(self) -> tuple[Path | str, ...]:
        """The files that the configuration reads: the file of settings and those that the recipe names, if any."""
        paths = (self.path, self.recipe.lexicon, self.recipe.salt, self.recipe.boilerplate)
        return tuple(path for path in paths if path is not None)

    def with_options(self, **options: Any) -> Config:
        """This, with the settings and recipe fields in `options` that are not None; `matches` may be "all".

        Raises `SettingsError` for a value that cannot be used.

        >>> Config().with_options(threshold="0.9", policy=None).given
        {'threshold': '0.9'}
        """
        new = {name: value for name, value in options.items() if value is not None}
        names = self.options | new.keys()
        recipe = {name: new.pop(name) for name in RECIPE_KEYS if name in new}
        if recipe:
            new["recipe"] = replace(self.recipe, **recipe)
        gives_reach = self.gives_reach or "reach" in recipe
        given = {**self.given, **_plain(new)}
        return _checked(replace(self, given=given, gives_reach=gives_reach, options=names))

    def with_reach(self, own: float | None) -> Config:
        """This configuration, in which a recipe given without a reach gets the reach `own` of the window; with None,
        for a new window, the reach for its threshold.
        """
        recipe = self.given.get("recipe")
        if recipe is None or self.gives_reach:
            return self
        threshold = self.settings.threshold_fraction
        reaching = recipe.reaching(threshold) if own is None else replace(recipe, reach=own)
        return replace(self, given={**self.given, "recipe": reaching})

    def with_fields(
        self, *, id: str | None = None, text: str | None = None, time: str | None = None
    ) -> Config:
        """This configuration with those names of fields that are not None."""
        own, times = self.fields, (time,) if time else self.fields.time
        names = {name for name, value in (("id_field", id), ("text_field", text)) if value}
        named = replace(own, id=id or own.id, text=text or own.text, time=times)
        return replace(self, fields=named, options=self.options | names)

    def fields_beside(self, own_id: str) -> Fields:
        """The names of fields, where `own_id` names an id outside of them, which counts unless an id field is named."""
        is_named = self.fields.id != Fields().id or "id_field" in self.options
        return self.fields if is_named else replace(self.fields, id=own_id)

    def reader(self, paths: Iterable[str | Path], **options: Any) -> Reader:
        """A reader of `paths` with these fields, and with room for the longest text that is allowed."""
        longest = max(LONGEST, LONGEST_ESCAPE * self.settings.max_length)
        # The source is read even if it is not shown, because boilerplate is left out by source.
        fields = replace(self.fields, show=tuple(dict.fromkeys((*self.settings.show, *SOURCE_FIELDS))))
        return Reader(paths, fields=fields, longest=longest, **options)


def load(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Config:
    """The configuration of this directory and environment.

    Raises `ConfigError` for a file that is not TOML and for an unknown key (naming the nearest known one),
    `SettingsError` for a value that cannot be used, `FileNotFoundError` if a given `path` does not exist.
    """
    environ = environ or {}
    chosen = path or (Path(environ[PREFIX + "CONFIG"]) if environ.get(PREFIX + "CONFIG") else None)
    file = chosen or Path(FILE_NAME)
    # A dangling link was meant to be a file; reading a pipe would block.
    exists = chosen is not None or (os.path.lexists(file) and not file.is_fifo())
    data = _toml(file) if exists else {}
    _check_keys(file, data, TOP_KEYS)
    untrusted = frozenset() if chosen else _untrusted(data, environ)
    data |= _from_environment(environ)
    _log_unknown(environ)
    read = file if exists else None
    with _said_where(read, environ):
        credentials = Credentials.from_settings(_table(file, data, "elasticsearch"), environ)
        window = data.get("window")
        if window is not None and (not window or not isinstance(window, str) or "\0" in window):
            raise SettingsError("window", window, "a string: the path of a directory, or a URL")
        recipe, named = _table(file, data, "recipe"), _fields(_table(file, data, "fields"))
        if named.show != DEFAULT_SHOW:
            data.setdefault("show", named.show)
        given = _plain({key: data[key] for key in SETTING_KEYS if key in data})
        given |= {"recipe": Recipe(**recipe)} if recipe else {}
        return _checked(Config(given, window, named, credentials, read, untrusted, "reach" in recipe))


@contextmanager
def _said_where(file: Path | None, environ: Mapping[str, str]) -> Iterator[None]:
    """Adds to the error for an unusable value where it is set, because it was not typed with this command."""
    try:
        yield
    except ConfigError:
        raise
    except SettingsError as error:
        variable = PREFIX + error.name.upper()
        if environ.get(variable):
            raise SettingsError(variable, error.value, error.expected) from error
        if file is None:
            raise
        raise ConfigError(str(file), error.name, str(error)) from error


def _untrusted(data: Mapping[str, Any], environ: Mapping[str, str]) -> frozenset[str]:
    """The keys by which `data` alone decides where a secret of the environment goes; none without such a secret."""
    if not any(environ.get(PREFIX + key.upper()) for key in SECRET_VARIABLES):
        return frozenset()
    table = data.get("elasticsearch")
    values = {"window": data.get("window"), **(table if isinstance(table, dict) else {})}
    wanted = {
        key for key in ("window", "ca_certs") if values.get(key) and not environ.get(PREFIX + key.upper())
    }
    return frozenset(wanted | ({"verify_certs"} if values.get("verify_certs") is False else set()))


def _checked(config: Config) -> Config:
    """`config`, if its settings are valid; otherwise raises as `Settings` does."""
    config.settings  # noqa: B018 - made to be checked
    return config


def _toml(path: Path) -> dict[str, Any]:
    try:
        # -sig: some editors begin a file with a byte order mark, which TOML does not allow.
        return tomllib.loads(path.read_text("utf-8-sig"))
    # Not TOML, not UTF-8, or numbers of thousands of digits; thousands of brackets.
    except (ValueError, RecursionError) as error:
        raise ConfigError(str(path), None, f"this is no TOML: {error}") from error


def _check_keys(path: Path, data: Mapping[str, Any], known: Sequence[str], table: str = "") -> None:
    for key, value in data.items():
        if key not in known:
            home = _home(key)
            hint = f"{key} belongs {home}" if home else f"the nearest is {table + _nearest(key, known)!r}"
            if isinstance(value, dict) and not difflib.get_close_matches(key, TABLES):
                hint = f"settings belong above all tables; the tables are {', '.join(TABLES)}"
            raise ConfigError(str(path), key, f"there is no setting {table + key!r}; {hint}")


def _home(key: str) -> str | None:
    """The place of a key in the file, in words; None if it has none."""
    if key in TOP_KEYS and key not in TABLES:
        return "above all tables"
    table = next((table for table, keys in TABLES.items() if key in keys), None)
    return table and f"in the table [{table}]"


def _nearest(key: str, known: Sequence[str]) -> str:
    return difflib.get_close_matches(key, known, n=1, cutoff=0.0)[0]


def _table(path: Path, data: Mapping[str, Any], name: str) -> dict[str, Any]:
    table, known = data.get(name, {}), TABLES[name]
    if not isinstance(table, dict):
        raise SettingsError(name, table, f"a table with the keys {', '.join(known)}")
    _check_keys(path, table, known, f"{name}.")
    return table


_LISTS: Final = ("time", "show")
"""Keys of [fields] that may have several names as their value."""


def _fields(table: dict[str, Any]) -> Fields:
    for key, value in table.items():
        names = value if key in _LISTS and isinstance(value, list) else [value]
        if (not names and key != "show") or not all(isinstance(name, str) and name for name in names):
            raise SettingsError(f"fields.{key}", value, "the name of a field")
    listed = {key: table[key] for key in _LISTS if key in table}
    return Fields(**table | {key: tuple(v if isinstance(v, list) else [v]) for key, v in listed.items()})


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """The top-level keys that are set as NEARDUP_*, in the types of their defaults; an empty one counts as not set."""
    values: dict[str, Any] = {}
    for key in ("window", *SETTING_KEYS):
        text = environ.get(PREFIX + key.upper())
        if text:
            values[key] = _typed(key, text)
    return values


def _log_unknown(environ: Mapping[str, str]) -> None:
    """Logs each variable that looks like a setting and is none.

    This is not an error, unlike an unknown key of the file: other programs use the environment, too. Kubernetes, for
    one, sets NEARDUP_PORT and NEARDUP_SERVICE_HOST in every container beside a service named neardup.
    """
    for name in sorted(environ):
        key = name.removeprefix(PREFIX).lower()
        if not name.startswith(PREFIX) or name.startswith(OTHER_VARIABLES) or key in VARIABLE_KEYS:
            continue
        home = _home(key)
        nearest = f"the nearest is {PREFIX}{_nearest(key, VARIABLE_KEYS).upper()}"
        hint = f"{key} belongs in {FILE_NAME}, {home}" if home else nearest
        log.warning("%s is no setting, and is ignored; %s", name, hint)


def _typed(key: str, text: str) -> Any:
    name, default = PREFIX + key.upper(), getattr(Settings(), key, "")
    if isinstance(default, bool) or key == "keep_text":
        truth = ConfigParser.BOOLEAN_STATES.get(text.lower())
        if truth is None:
            raise SettingsError(name, text, "true or false")
        return truth
    if isinstance(default, tuple):
        return tuple(name.strip() for name in text.split(",") if name.strip())
    if key != "max_memory" and (isinstance(default, int) or default is None):
        try:
            return text if text == ALL else int(text)
        except ValueError:
            raise SettingsError(name, text, f"a whole number{OR_ALL if key == 'matches' else ''}") from None
    return text


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """`values` with people's notations converted to those of `Settings`: "all" for no limit, "1.5GB" for bytes."""
    plain = dict(values)
    if "show" in plain:
        plain["show"] = tuple(plain["show"])
    if plain.get("matches") == ALL:
        plain["matches"] = None
    elif isinstance(plain.get("matches"), str) and _COUNT_RE.fullmatch(plain["matches"]):
        plain["matches"] = int(plain["matches"])
    if isinstance(plain.get("max_memory"), str):
        plain["max_memory"] = _bytes(plain["max_memory"])
    return plain


def _bytes(text: str) -> int:
    """The number of bytes in a size such as 512, 800MB or 1.5 GiB.

    >>> _bytes("1.5GB"), _bytes("2 GiB"), _bytes("512")
    (1500000000, 2147483648, 512)
    """
    match = _SIZE_RE.fullmatch(text.strip().lower())
    if not match:
        raise SettingsError("max_memory", text, "a size such as 800MB, 1.5GB or 2GiB")
    number, prefix, binary = match.groups()
    base = 1024 if binary else 1000
    exponent = 1 + "kmgt".index(prefix) if prefix else 0
    return round(float(number) * int(base**exponent))
