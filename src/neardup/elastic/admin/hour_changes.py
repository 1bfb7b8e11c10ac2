"""Existing hours when a window is set up: whether each may belong to the window, and what must change in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from neardup.elastic.admin.managed_objects import differences
from neardup.errors import RecipeMismatch, SetupRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from neardup.elastic.admin.hourly_indices import HourlyIndex
    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.http.address import Address


class Change(NamedTuple):
    """One PUT that is needed: in words, with details, and as a request. `is_lacking`: before it, something that scorers
    or signing need does not exist.
    """

    words: str
    details: tuple[str, ...]
    path: str
    body: dict[str, Any]
    is_lacking: bool = False

    def __str__(self) -> str:
        return "\n".join((self.words, *(f"    {line}" for line in self.details)))


def hour_changes(
    index: HourlyIndex, address: Address, present: Mapping[str, Any] | None, *needed: str | None
) -> Iterator[Change]:
    """The changes that an existing hour needs, because it was made before the settings changed, or cloned, or because
    another client has replaced its `_meta`, into which the window's `present` description is put back. `needed` are the
    pipeline and the policy that the hour must have; where one is None, ours is taken off, and one of the user's own
    stays.
    """
    alias, settings = address.alias, index.settings
    if index.about is None:
        words = f"restore the description (_meta) of index {index.name}"
        meta = {"_meta": {**index.meta, "neardup": present}}
        yield Change(words, (), f"/{index.name}/_mapping", meta, is_lacking=True)
    policy = settings.get("lifecycle", {}).get("name")
    has = {"final_pipeline": settings.get("final_pipeline"), "lifecycle.name": policy}
    named = zip(has.items(), needed, (address.pipeline, address.policy), strict=True)
    wants = {key: need or (None if value == ours else value) for (key, value), need, ours in named}
    body = {f"index.{key}": value for key, value in wants.items() if value != has[key]}
    if body:
        details = tuple(differences(has, wants, "index"))
        is_unsigned = wants["final_pipeline"] == address.pipeline != has["final_pipeline"]
        path = f"/{index.name}/_settings"
        yield Change(f"change index {index.name}", details, path, body, is_lacking=is_unsigned)
    if not index.copies and alias not in index.aliases:  # searches that name the window pass over it
        path = f"/{index.name}/_alias/{alias}"
        yield Change(f"put index {index.name} into alias {alias}", (), path, {"is_write_index": False})


def described(
    index: HourlyIndex, address: Address, present: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """The description of an hour, or the window's `present` one if another client has overwritten the hour's `_meta`.
    None if our template did not make the hour.
    """
    if index.about is None and present and index.is_made_for(address, present["signed_by"]):
        return present
    return index.about


def check_hour(
    address: Address,
    config: WindowConfig,
    index: HourlyIndex,
    present: Mapping[str, Any] | None,
    *,
    is_made: bool,
) -> None:
    """Raises `RecipeMismatch` or `SetupRefused` for an index that does not fit `config`. `is_made`: the window existed
    before, so that its `present` description also holds for an hour that lacks its own.
    """
    about = described(index, address, present if is_made else None)
    if about is None:
        raise _not_made(address, index, is_made=is_made)
    if about["recipe"] != config.recipe_text:
        raise RecipeMismatch(f"index {index.name}", str(about["recipe"]), config.recipe_text, str(address))
    for part in ("lossless", "words"):
        wanted = getattr(config, part)
        if about.get(part, True) != wanted:
            raise SetupRefused(
                str(address),
                f"index {index.name} was made with{'' if wanted else 'out'} --no-{part}",
                f"keep {f'--no-{part}' if wanted else f'--{part}'}, or set up another prefix and copy the "
                "documents there: neardup ingest --from-index",
            )
    for name in ("text_field", "time_field"):
        if about[name] != getattr(config, name):
            raise SetupRefused(
                str(address),
                f"index {index.name} has {name} {about[name]!r}, not {getattr(config, name)!r}",
                f"keep {about[name]!r}, delete all hours of this window first, or choose another prefix",
            )


def _not_made(address: Address, index: HourlyIndex, *, is_made: bool) -> SetupRefused:
    what = f"index {index.name} was not made for neardup and its documents are not signed"
    elsewhere = (
        f"choose another prefix, and copy the documents there: neardup ingest --from-index {index.name}"
    )
    here = (
        "if it was made while the templates were missing, delete it (no document in it counts) and run again"
    )
    return SetupRefused(str(address), what, f"{here}; or {elsewhere}" if is_made else elsewhere)
