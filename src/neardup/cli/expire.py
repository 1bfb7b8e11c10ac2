"""neardup expire: drop the hours that are older than the window keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from neardup.cli import options
from neardup.cli.callbacks import checked_time
from neardup.cli.context import configuration, opened_window
from neardup.cli.streams import log_line
from neardup.cli.tables import check_output, counted, print_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from neardup import Window
    from neardup.model.settings import Settings
    from neardup.window.base import Expired

LAST: Final = "last"


def expire(
    window: options.WindowOption = None,
    now: options.NowOption = None,
    window_hours: options.WindowHoursOption = None,
    keep_hours: options.KeepHoursOption = None,
    force: options.LetGoOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be dropped.")] = False,
    newest: Annotated[
        str | None,
        typer.Option(
            metavar="TIME|last",
            callback=lambda text: text if text == LAST else checked_time(text),
            show_default="unchanged",
            help="Set the newest hour back to this time (last: that of the newest document); drops nothing.",
        ),
    ] = None,
    config_file: options.ConfigOption = None,
) -> None:
    """Drop every hour that is older than the window keeps; print these hours, and the number of their documents.

    Hours are counted back from the clock, or from --now, not from the newest document: an archive that ended long ago
    may lose all of its hours. --dry-run reports what would be dropped.

    --window-hours and --keep-hours apply to this run only. Fewer hours than the window keeps need --force if documents
    would be dropped. If the window has --keep-hours, --window-hours has no effect.

    With --newest nothing is dropped: use it after a document with a wrong time (delete that first). Documents that
    expired because of it do not come back, and verdicts of documents to be compared with these say truncated.

    Examples:

        neardup expire --window news.window --now 2026-11-21T09:00:00Z --dry-run

        neardup expire --window news.window --newest 2026-11-21T09:00:00Z
    """
    config = configuration(config_file, locals())
    hours = config.hours
    if newest is None:
        check_output()
    else:
        _check_alone({"--now": now, "--window-hours": window_hours, "--keep-hours": keep_hours})
    with opened_window(window, config.without_hours, readonly=dry_run) as target:
        if newest is not None:
            _set_back(target, newest, dry_run=dry_run)
            return
        before, kept = target.settings.kept_hours, _kept(target.settings, hours)
        if not (dry_run or force):
            _check_narrowing(
                hours, before, kept, lambda hours: target.expire(now, keep_hours=hours, dry_run=True)
            )
        expired = target.expire(now, keep_hours=kept, dry_run=dry_run)
        for hour in expired:
            print_line(hour)
        log_line(_in_words(expired, dry_run=dry_run))


def _kept(settings: Settings, hours: Mapping[str, int]) -> int:
    """How many hours are kept with these `hours`; reports it if those given have no effect."""
    chosen = settings.with_changes(**hours)
    if chosen.window_hours != settings.window_hours and chosen.keep_hours == settings.keep_hours is not None:
        kept = counted(chosen.kept_hours, "hour") if chosen.kept_hours else "all hours"
        log_line(
            f"--window-hours does not change how long this window keeps documents ({kept}): use --keep-hours"
        )
    return chosen.kept_hours


def _check_narrowing(
    hours: Mapping[str, int], before: int, kept: int, expirable: Callable[[int], Expired]
) -> None:
    """Raises `typer.BadParameter` if the `hours` given keep fewer hours, so that documents would be dropped."""
    from neardup.window.changed_hours import going_by

    if going := going_by(before, kept, expirable):
        option = "--keep-hours" if "keep_hours" in hours else "--window-hours"
        raise typer.BadParameter(f"{kept} is too few: {going}; --force drops them", param_hint=option)


def _check_alone(others: Mapping[str, object]) -> None:
    """Raises `typer.BadParameter` if one of the options `others` is given with --newest, which ignores them."""
    for option, value in others.items():
        if value is not None:
            raise typer.BadParameter("--newest drops nothing: give one or the other", param_hint=option)


def _set_back(target: Window, newest: str, *, dry_run: bool) -> None:
    if dry_run:
        raise typer.BadParameter("--newest has no dry run", param_hint="--dry-run")
    hour = target.set_newest(None if newest == LAST else newest)
    log_line(
        "the newest hour is no longer set: the window holds no documents"
        if hour is None
        else f"the newest hour is {hour}"
    )


def _in_words(expired: Expired, *, dry_run: bool) -> str:
    if not expired:
        return "nothing to drop"
    what = f"{counted(expired.documents, 'document')} in {counted(len(expired), 'hour')}"
    return f"{what} would be dropped" if dry_run else f"{what} dropped"
