"""Rollover: makes hours before they begin, and moves the write alias to the current one; core APIs only.

The first document of an hour would also make its index. Rollover is for clients that write to one name, the alias
PREFIX, and it spares the first document of an hour the wait for an index.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from neardup.elastic.http import admin_api as api
from neardup.errors import NotSetUp, WindowDamaged
from neardup.model.hours import LAST_NAMED, hour_of

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

log = logging.getLogger("neardup")

_FIELDS: Final = tuple(f"settings.index.{name}" for name in ("verified_before_close", "blocks"))


class Rollover:
    """Rolls over the window at the cluster's address whenever it is called and an hour has begun since, or the alias
    has no write index because somebody has deleted the current hour: clients that write to the alias are refused then.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._hour: int | None = None

    def __call__(self, now: int) -> None:
        """Most often one request, for the alias. `now`: milliseconds. Raises as `roll_over`."""
        hour, name = hour_of(now), self._cluster.address.alias
        if hour != self._hour:
            roll_over(self._cluster, now)
            self._hour = hour
        elif not any(member.get("is_write_index") for member in api.alias(self._cluster, name).values()):
            done = roll_over(self._cluster, now)
            log.warning("alias %s wrote to no hour any more: %s", name, "; ".join(done))


def roll_over(cluster: Cluster, now: int) -> list[str]:
    """Makes the alias write to the hour of `now` (milliseconds); returns what was changed, in words, or nothing.

    Makes the index of that hour and of the next, and warns of an hour that takes no writes, of an alias that wrote to a
    later hour, and of a foreign alias with the name of the next hour. Two concurrent calls do no harm. Needs the role
    `scorer`. Raises `NotSetUp` (an index made without our template would not belong to the window), `WindowDamaged`
    where a foreign alias has the name of the hour, `ClusterError`.
    """
    address = cluster.address
    # Only the role `setup` may read the template itself.
    if not api.is_readable(cluster, address.state):
        raise NotSetUp(str(address))
    hour = hour_of(now)
    current, coming = address.hourly(hour), address.hourly(min(hour + 1, LAST_NAMED))
    is_there = _check_writable(cluster, current)
    done = [f"made index {current}"] if not is_there and api.put_object(cluster, f"/{current}") else []
    done += _make_coming(cluster, coming)
    members = api.alias(cluster, address.alias)
    writes = sorted(name for name, member in members.items() if member.get("is_write_index"))
    if writes == [current]:
        return done
    later = [name for name in writes if (known := address.hour_of_index(name)) and known[0] > hour]
    if later:
        log.warning(
            "alias %s wrote to %s, later than %s: check the clocks of this machine and of the one that moved the alias "
            "there; a document is deleted with the hour that it was written to, whatever its own time",
            address.alias, later[-1], current,
        )  # fmt: skip
    actions = [{"add": {"index": name, "alias": address.alias, "is_write_index": False}} for name in writes]
    actions.append({"add": {"index": current, "alias": address.alias, "is_write_index": True}})
    # One request: there is no moment in which two indices, or none, take what is written.
    api.update_aliases(cluster, actions)
    return [*done, f"alias {address.alias} writes to {current}"]


def _check_writable(cluster: Cluster, name: str) -> bool:
    """Whether the hour `name` is there; warns if it takes no writes, raises `WindowDamaged` if it is an alias."""
    described = api.own_index(cluster, name, fields=_FIELDS)
    settings = described.get("settings", {}).get("index", {})
    if api.is_closed(settings):
        log.warning("%s is closed, so writes to it are refused; POST %s/_open", name, name)
    if blocks := api.write_blocks_of(settings):
        what = f"blocked ({', '.join(blocks)}), so writes to it are refused"
        log.warning("%s is %s; %s", name, what, api.unblocking(name, blocks))
    return bool(described)


def _make_coming(cluster: Cluster, name: str) -> list[str]:
    """Makes the hour `name` if it does not exist; returns what was done, in words. For a foreign alias of that name it
    only warns: there is an hour's time.
    """
    try:
        is_there = bool(api.own_index(cluster, name, fields=()))
    except WindowDamaged as error:
        log.warning("%s", error)
        return []
    return [f"made index {name}"] if not is_there and api.put_object(cluster, f"/{name}") else []
