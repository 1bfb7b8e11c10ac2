"""What opening a window in a cluster asks about the hours that a user may not see."""

from __future__ import annotations

import pytest
from testing.cluster_stand_in import Answer, standing_in

from neardup.elastic.admin.managed_objects import WindowConfig
from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.reading_rights import readable
from neardup.elastic.window.state_document import StateDocument
from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for
from neardup.stores.base import Commit

ABOUT = WindowConfig(Recipe(), signer_for(Recipe()).text).about()
LAST = 490_000


@pytest.mark.parametrize(
    ("kept", "hours"),
    [
        (0, {LAST}),
        (24, {*range(LAST - 24, LAST + 1)}),
        (1_000_000, {LAST - 1_000_000, *range(LAST - 366 * 24, LAST + 1)}),
        (30_000_000, {LAST}),
        (10**12, {LAST}),
    ],
)
def test_however_many_hours_are_kept_those_of_a_year_are_looked_for(kept, hours):
    """Each is an item of a request: a window of fifty years took a quarter of a minute to open. Hours before the year
    1, which have no name, let none open.
    """
    names: list[str] = []

    def script(request):
        if not request.path.startswith("/_mget"):
            return Answer(200, {})
        (body,) = request.lines
        names.extend(each["_index"] for each in body["docs"])
        return Answer(200, {"docs": body["docs"]})

    floor = {"floor_hour": LAST - kept} if kept else {}
    state = StateDocument(ABOUT, {}, Commit(newest=LAST, **floor))
    with standing_in(script) as server, Cluster(Address(server.url, "news"), patience=0) as cluster:
        readable(cluster, state)
        assert sorted(names) == sorted(map(cluster.address.hourly, hours))
