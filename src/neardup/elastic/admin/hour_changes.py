"""An hour that is there, when a window is set up: whether it may be one of the window's, and what changes of it."""

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
    """One PUT that is needed: in words with its details, and as it is sent. `is_lacking`: until it is done something is
    not there that scorers need, or that signs.
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
    """An hour that was made before the settings changed, or cloned, or whose `_meta` another client has written, which
    replaces it whole; the window's `present` description is put back. The pipeline and the policy `needed` can still be
    changed; where none is, those of the user's own stay.
    """
    alias, settings = address.alias, index.settings
    if index.about is None:
        words = f"put back what index {index.name} says of itself"
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
    """What an hour says of itself, or said before another client wrote its `_meta`: what the window's `present`
    description says. None if our template did not make it.
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
    """Raises for an index of the window that is not as `config` has it; `is_made`: the window was there before, as its
    `present` description has it, and an hour that lacks its own.
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
                f"keep {f'--no-{part}' if wanted else f'--{part}'}, or set up another prefix and take its "
                "documents over: neardup ingest --from-index",
            )
    for name in ("text_field", "time_field"):
        if about[name] != getattr(config, name):
            raise SetupRefused(
                str(address),
                f"index {index.name} has {name} {about[name]!r}, not {getattr(config, name)!r}",
                f"keep {about[name]!r}, or choose another prefix",
            )


def _not_made(address: Address, index: HourlyIndex, *, is_made: bool) -> SetupRefused:
    what = f"index {index.name} was not made for neardup and its documents are not signed"
    elsewhere = f"choose another prefix, and take them over: neardup ingest --from-index {index.name}"
    here = (
        "delete it, if it was made while the templates were missing (no document in it counts), and run again"
    )
    return SetupRefused(str(address), what, f"{here}; or {elsewhere}" if is_made else elsewhere)
