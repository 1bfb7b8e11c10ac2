"""The four roles on a node with security and TLS: each sufficient for its work, and not one privilege too wide.

Users and roles are those of the file realm: the distribution that tests run on cannot store them in an index, so there
are no API keys either. What an API key looks like on the wire is shown in tests/unit/elastic/test_client.py.
"""

from __future__ import annotations

import copy
import json
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from testing.node.certificates import make_certificates
from testing.node.clients import until
from testing.node.node import SUPERUSER, Node, Security, User
from testing.node.servers import ROOT, only_elasticsearch

from neardup.elastic.admin import resources
from neardup.elastic.admin.checks import examine
from neardup.elastic.admin.hourly_indices import read_indices
from neardup.elastic.admin.recipe_change import checked_plan, describe_index
from neardup.elastic.admin.rollover import roll_over
from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.api import doc_version
from neardup.elastic.http.bulk import Action, Outcome, bulk
from neardup.elastic.http.client import Cluster, ClusterWarning
from neardup.elastic.http.mget import check_readable
from neardup.elastic.watch.document_checks import examine_documents
from neardup.elastic.watch.in_place import prepare
from neardup.elastic.watch.watcher import Watcher
from neardup.elastic.watch.window_removal import remove
from neardup.elastic.window.cluster_resign import resign_cluster
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.setup_changes import before_first_write
from neardup.elastic.window.state_recovery import describe
from neardup.errors import ClusterRefused, ClusterUnreachable, NotSetUp
from neardup.model.document import Document
from neardup.model.settings import HOUR_MS, Settings
from neardup.sources.fields import Fields

pytestmark = only_elasticsearch("security, in the distribution for tests")
ROLES = ("setup", "writer", "scorer", "reader")
HOUR = 498681
REMOVED = ("gone", "marks")
"""Prefixes of windows that are removed: one of hours, and one that scores the index `letters` in place."""
IN_PLACE = {
    "reader": ("read", "view_index_metadata", "indices:admin/refresh*"),
    "scorer": (
        "read", "view_index_metadata", "indices:admin/refresh*", "index", "indices:admin/mapping/put", "delete",
    ),
}  # fmt: skip
"""What each role needs on an index that is scored in place."""
UNTESTABLE = {("setup", "manage_ilm")}
"""Privileges whose absence nobody notices here: the distribution has no lifecycle management."""


def role(name: str, prefix: str) -> dict[str, Any]:
    return resources.load("roles", f"{name}.json", prefix)


def privileges(name: str) -> Iterator[tuple[int | None, str]]:
    """Every privilege of a role, with the entry of `indices` that it is in; None for those on the cluster."""
    body = role(name, "x")
    yield from ((None, privilege) for privilege in body["cluster"])
    yield from (
        (place, privilege) for place, entry in enumerate(body["indices"]) for privilege in entry["privileges"]
    )


def prefix_of(number: int) -> str:
    """Setting up wants a prefix where nothing is; writing and scoring one where everything is."""
    return f"less{number}" if LESS[number][0] == "setup" else "news"


def without(body: dict[str, Any], place: int | None, privilege: str) -> dict[str, Any]:
    body = copy.deepcopy(body)
    (body["cluster"] if place is None else body["indices"][place]["privileges"]).remove(privilege)
    body["indices"] = [entry for entry in body["indices"] if entry["privileges"]]  # none is no role
    return body


LESS = [(name, place, privilege) for name in ROLES for place, privilege in privileges(name)]
"""Each role with one privilege taken away."""


def partial_readers(prefix: str) -> dict[str, Any]:
    """Readers from whom a part of a window is hidden: an hour that they see or do not see, or fields."""
    reader = role("reader", prefix)
    hours, state = reader["indices"]
    but_one = {**hours, "names": [f"{prefix}-2026.11.20-*", f"{prefix}-2026.11.21-*9", f"{prefix}-*-11"]}
    seen = {"names": [f"{prefix}-*"], "privileges": ["view_index_metadata"]}

    def without_fields(*names: str) -> dict[str, Any]:
        return {**hours, "field_security": {"grant": ["*"], "except": list(names)}}

    return {
        "sees_hour": {**reader, "indices": [but_one, seen, state]},
        "sees_no_hour": {**reader, "indices": [but_one, state]},
        "no_signatures": {**reader, "indices": [without_fields("neardup.*"), state]},
        "narrowed": reader,
        "no_texts": {**reader, "indices": [without_fields("text"), state]},
    }


def in_place(name: str) -> dict[str, Any]:
    """The role `name` of a window that scores `pages` in place, with what docs/security.md grants it there."""
    paragraph = (
        (ROOT / "docs/security.md").read_text().split("Some commands need more", 1)[1].split("\n\n", 1)[0]
    )
    granted = [each for each in IN_PLACE[name] if f"`{each}`" in paragraph]
    body = role(name, "placed")
    return {**body, "indices": [*body["indices"], {"names": ["pages"], "privileges": granted}]}


@dataclass(frozen=True)
class Guarded:
    """The node, and a way in for every user."""

    node: Node
    users: dict[str, User]

    @property
    def authority(self) -> str:
        assert self.node.security is not None
        return str(self.node.security.certificates.authority)

    def enter(self, name: str, prefix: str) -> Cluster:
        user = self.users[name]
        credentials = Credentials(username=user.name, password=user.password, ca_certs=self.authority)
        return Cluster(Address(self.node.url, prefix), credentials, patience=30)


@pytest.fixture(scope="module")
def guarded(workshop) -> Iterator[Guarded]:
    roles = {f"neardup_{name}": role(name, "news") for name in ROLES}
    for number, (name, place, privilege) in enumerate(LESS):
        roles[f"less_{number}"] = without(role(name, prefix_of(number)), place, privilege)
    roles |= partial_readers("half")
    roles |= {f"placed_{name}": in_place(name) for name in IN_PLACE}
    roles["placed_setup"] = role("setup", "placed")
    roles["abroad"] = {"indices": [{"names": ["abroad-*"], "privileges": ["read", "read_cross_cluster"]}]}
    for prefix in REMOVED:
        roles |= {f"{prefix}_{name}": role(name, prefix) for name in ("setup", "scorer")}
        state = {"names": [f"neardup-state-{prefix}"], "privileges": ["delete_index"]}
        roles[f"{prefix}_state"] = {"indices": [state]}
    marks = ["read", "index", "view_index_metadata", "indices:admin/refresh*"]
    roles["letters"] = {"indices": [{"names": ["letters"], "privileges": marks}]}
    names = [name.removeprefix("neardup_") for name in roles]
    users = [User(name, secrets.token_urlsafe(12), (role,)) for name, role in zip(names, roles, strict=True)]
    users.append(User("resign", secrets.token_urlsafe(12), ("neardup_setup", "neardup_scorer")))
    both = tuple(f"{prefix}_{name}" for prefix in REMOVED for name in ("setup", "scorer"))
    users.append(User("removes_not", secrets.token_urlsafe(12), both))
    states = tuple(f"{prefix}_state" for prefix in REMOVED)
    users.append(User("removes", secrets.token_urlsafe(12), (*both, *states, "letters")))
    users.append(User("placing", secrets.token_urlsafe(12), ("placed_setup", "placed_scorer")))
    with tempfile.TemporaryDirectory() as directory:
        security = Security(make_certificates(Path(directory)), roles, tuple(users))
        often = {"resource.reload.interval.high": "500ms"}
        node = workshop.small("guarded", security=security, settings=often).start()
        yield Guarded(node, {user.name: user for user in (*users, SUPERUSER)})
        node.stop()


def setup_work(cluster: Cluster, hour: int) -> None:
    """All that the role setup is for."""
    set_up(cluster, sign="client")
    roll_over(cluster, hour * HOUR_MS)
    assert set_up(cluster, sign="plugin").changes  # the hours are told of the pipeline
    describe(str(cluster.address), credentials=cluster.credentials)
    before_first_write(cluster)
    config = set_up(cluster).config
    assert checked_plan(cluster, config, None).changes == []
    describe_index(cluster, cluster.address.hourly(hour), config)
    assert [
        finding for finding in examine(cluster.address, cluster.credentials) if finding.state == "bad"
    ] == []


def writer_work(cluster: Cluster, hour: int) -> None:
    """Bare documents to the alias, and to an hour that is not there yet; with a field that nobody has mapped."""
    own = cluster.address
    source = {"text": "A rose is a rose.", f"field{hour}": "new"}
    lines = [
        line
        for name in (own.alias, own.hourly(hour))
        for line in ({"create": {"_index": name, "_id": f"w{hour}"}}, source)
    ]
    assert cluster.request("POST", "/_bulk", body=lines)["errors"] is False


def scorer_work(cluster: Cluster, hour: int) -> None:
    """Every kind of request of ingest, watch, query, delete, expire and rollover."""
    own = cluster.address
    late = own.hourly(hour)
    first = Action("create", late, "a", {"text": "x", f"field{hour}": "new"})
    demand(bulk(cluster, [first, Action("index", late, "b", {"text": "x"})]))
    update = Action("update", late, "a", {"neardup": {"status": "unique", "order": hour}})
    pinned = update.if_version(doc_version(cluster, late, "a"))
    demand(bulk(cluster, [pinned, Action("delete", late, "b")]))
    cluster.request("POST", f"/{own.pattern}/_refresh")
    query = {"query": {"term": {"neardup.order": {"value": hour}}}}
    assert cluster.request("POST", f"/{own.pattern}/_search", body=query)["hits"]["hits"]
    (searched,) = cluster.request("POST", "/_msearch", body=[{"index": own.pattern}, query])["responses"]
    assert searched["hits"]["hits"]
    point = cluster.request("POST", f"/{late}/_pit", params={"keep_alive": "1m"})["id"]
    assert cluster.request("POST", "/_search", body={"pit": {"id": point}})["hits"]["hits"]
    cluster.request("DELETE", "/_pit", body={"id": point})
    cluster.request("POST", f"/{late}/_mget", body={"ids": ["a"]})
    cluster.request("GET", f"/{own.pattern}/_field_caps", params={"fields": "@timestamp"})
    assert late in {index.name for index in read_indices(cluster).hourly}
    assert roll_over(cluster, (hour + 1) * HOUR_MS)
    cluster.request("DELETE", f"/{late}")
    cluster.request("PUT", f"/{own.state}/_doc/undo", params={"refresh": "true"}, body={})
    cluster.request("GET", f"/{own.state}/_doc/undo")
    demand(bulk(cluster, [Action("delete", own.state, "undo")]))


def reader_work(cluster: Cluster, hour: int) -> None:
    """All that only asks: what query, get, groups, stats, export, check, serve and mcp do."""
    address, credentials = str(cluster.address), cluster.credentials
    with open_elastic_window(address, readonly=True, credentials=credentials) as window:
        assert window.query(f"In the year {hour} nobody knew of this text.").status == "unique"
        assert len(list(window)) == window.stats().documents
        list(window.groups())
        assert window.read(["nobody"]) == [None]
        window.refresh()


def test_setup_and_scorer_together_sign_a_window_again(guarded):
    with guarded.enter("resign", "news") as cluster:
        address, credentials = str(cluster.address), cluster.credentials
        with open_elastic_window(address, credentials=credentials) as window:
            list(window.ingest([Document("a", "A rose is a rose is a rose.", time=HOUR * 3_600)]))
        for reach in (0.5, 0.6):
            made = resign_cluster(address, None, {"reach": reach}, dry_run=False, credentials=credentials)
            assert made.is_needed
        with open_elastic_window(address, credentials=credentials) as window:
            assert window.query("A rose is a rose is a rose.").is_copy


def test_setup_and_scorer_remove_a_window_with_the_right_to_delete_its_state(guarded):
    document = Document("a", "A rose is a rose is a rose.", time=HOUR * 3_600)
    with guarded.enter(SUPERUSER.name, "gone") as cluster:
        made_by = {"credentials": cluster.credentials}
        with open_elastic_window(str(cluster.address), **made_by) as window:
            list(window.ingest([document]))
        cluster.request(
            "PUT", "/letters/_doc/1", params={"refresh": "true"}, body={"text": "x", "neardup": {}}
        )
    with guarded.enter(SUPERUSER.name, "marks") as cluster:
        prepare(cluster, "letters", Settings(), Fields())
        with open_elastic_window(
            str(cluster.address), archive="letters", window_hours=0, **made_by
        ) as window:
            list(window.ingest([document]))
    with (
        guarded.enter("removes_not", "gone") as cluster,
        pytest.raises(ClusterRefused, match=r"delete.* on neardup-state-gone .*no role of neardup covers"),
    ):
        list(remove(cluster))
    with guarded.enter("removes_not", "marks") as cluster, pytest.raises(ClusterRefused, match="letters"):
        list(remove(cluster))
    for prefix in REMOVED:
        with guarded.enter("removes", prefix) as cluster:
            assert list(remove(cluster))
            with pytest.raises(NotSetUp):
                list(remove(cluster))
    with guarded.enter(SUPERUSER.name, "marks") as cluster:
        assert "neardup" not in cluster.request("GET", "/letters/_doc/a")["_source"]


def ask_all(cluster: Cluster, texts: list[str]) -> None:
    """Every question, of documents s0 and up of these texts, of which the second is a copy of the first."""
    address, credentials = str(cluster.address), cluster.credentials
    with open_elastic_window(address, readonly=True, credentials=credentials) as window:
        for partial in (False, True):
            assert window.query(id="s1", partial=partial).duplicate_of == "s0"
            assert window.query(texts[0], partial=partial).matches_total == 2
        assert {found.status for found in window.check(texts)} == {"exact"}
        assert {"s0", "s1", "s2"} <= set(window)
        assert "s0" in {group.head for group in window.groups()}
        assert [document and document.text for document in window.read(["s0", "s1"])] == texts[:2]
    with (
        open_elastic_window(address, credentials=credentials) as window,
        pytest.raises(ClusterRefused, match=r"data/write/\S+ on neardup-state-news.*the role scorer"),
    ):
        window.delete("s0")


WORK = {"setup": setup_work, "writer": writer_work, "scorer": scorer_work, "reader": reader_work}


def demand(outcomes: list[Outcome]) -> None:
    assert [outcome for outcome in outcomes if not outcome.ok] == []


@pytest.fixture(scope="module")
def window(guarded):
    """The window `news`, which writer and scorer find."""
    with guarded.enter(SUPERUSER.name, "news") as cluster:
        set_up(cluster)
        describe(str(cluster.address), credentials=cluster.credentials)
        roll_over(cluster, HOUR * HOUR_MS)
        bulk(
            cluster,
            [Action("index", "news-2026.11.21-09", "w", {"text": "x"}), Action("index", "other", "x", {})],
        )


def tell_what_is_not_seen(cluster: Cluster) -> None:
    """The doctor said nothing of the fields of documents that its user may not read, as if nothing was wrong there."""
    told = [each.found for each in examine_documents(cluster.address, cluster.credentials)]
    for whether in ("whether they have text and time", "whether others have given some"):
        assert any(each.startswith(f"it could not be seen {whether}: ") for each in told), told


@pytest.mark.parametrize("name", ROLES)
@pytest.mark.usefixtures("window")
def test_a_role_is_sufficient(guarded, name):
    with guarded.enter(name, "news") as cluster:
        WORK[name](cluster, HOUR + 10 * (1 + ROLES.index(name)))


@pytest.mark.usefixtures("window")
def test_scorer_and_reader_can_do_all_that_their_commands_do(guarded):
    with guarded.enter("scorer", "news") as cluster:
        way = {"credentials": cluster.credentials, "patience": 30}
        texts = [
            "The ferry to the island left late.",
            "The ferry to the island left late again.",
            "A mill burned.",
        ]
        stream = [{"id": f"s{n}", "text": text, "time": HOUR * HOUR_MS + n} for n, text in enumerate(texts)]
        with open_elastic_window(str(cluster.address), **way) as window:
            verdicts = list(window.ingest(stream))
            assert [verdict.duplicate_of for verdict in verdicts] == [None, "s0", None]
            assert window.query(texts[0]).matches
            with guarded.enter("reader", "news") as other:
                ask_all(other, texts)
            with guarded.enter("setup", "news") as other:
                tell_what_is_not_seen(other)
            assert window.delete("s2")
            assert list(window.reconcile()) == []
            assert window.expire((HOUR + 1_000) * HOUR_MS)
        with open_elastic_window(str(cluster.address), readonly=True, **way) as window:
            assert window.query(texts[0]).matches == ()


def test_an_index_is_scored_in_place_with_what_the_page_says(guarded):
    """It did not name the refresh: the first run was refused it."""
    with guarded.enter(SUPERUSER.name, "placed") as cluster:
        source = {"text": "The ferry to the island left late.", "time": "2026-11-21T09:00:00Z"}
        mapping = {"mappings": {"properties": {"time": {"type": "date"}}}}
        cluster.request("PUT", "/pages", body=mapping)
        demand(bulk(cluster, [Action("index", "pages", id, source) for id in "ab"]))
        cluster.request("POST", "/pages/_refresh")
    for user in ("placing", "placed_scorer"):
        with guarded.enter(user, "placed") as cluster:
            layout = prepare(cluster, "pages", Settings(), Fields())
            way = {
                "credentials": cluster.credentials,
                "archive": "pages",
                "window_hours": 0,
                "patience": 30,
            }
            opener = partial(open_elastic_window, str(cluster.address), **way)
            watcher = Watcher(opener, cluster, layout, once=True)
            assert len(list(watcher.verdicts(on_reject=lambda _: None))) == (2 if user == "placing" else 0)
    with guarded.enter("placed_reader", "placed") as cluster:
        ask = {"credentials": cluster.credentials, "readonly": True}
        with open_elastic_window(str(cluster.address), **ask) as window:
            assert window.query(id="b").duplicate_of == "a"
    with opener() as window:
        assert window.delete("b")


@pytest.mark.parametrize("number", range(len(LESS)), ids=["-".join(map(str, less)) for less in LESS])
@pytest.mark.usefixtures("window")
def test_no_privilege_of_a_role_can_be_spared(guarded, number):
    """Without it something of the work is refused; where a pattern names the indices, silently not done; or done with
    a warning that the next major version will refuse it.
    """
    name, _, privilege = LESS[number]
    with guarded.enter(f"less_{number}", prefix_of(number)) as cluster:
        try:
            WORK[name](cluster, HOUR + 100 * (1 + number))
        except (ClusterRefused, AssertionError, ClusterWarning):
            assert (name, privilege) not in UNTESTABLE
        else:
            assert (name, privilege) in UNTESTABLE, f"{privilege} is not needed"


@pytest.mark.usefixtures("window")
def test_hours_that_may_not_be_read_are_an_error_and_no_empty_window(guarded):
    number = LESS.index(("scorer", 0, "read"))
    with guarded.enter("scorer", "news") as cluster:
        address, authority = str(cluster.address), cluster.credentials.ca_certs
        with open_elastic_window(address, credentials=cluster.credentials) as window:
            list(window.ingest([Document("seen", "A mill burned down last night.", time=HOUR * 3_600)]))
    less = guarded.users[f"less_{number}"]
    own = Credentials(username=less.name, password=less.password, ca_certs=authority)
    with pytest.raises(
        ClusterRefused, match=r"indices:data/read/\S+ on news-.*the role reader \(or scorer\)"
    ):
        open_elastic_window(address, readonly=True, credentials=own)
    with pytest.raises(
        ClusterRefused, match=r"indices:data/read/\S+ on news-.*the role reader \(or scorer\)"
    ):
        resign_cluster(address, None, {"reach": 0.5}, dry_run=True, credentials=own)


@pytest.fixture(scope="module")
def half(guarded):
    """The window `half`, of three hours; the cluster has a trial licence, for field-level security."""
    with guarded.enter(SUPERUSER.name, "half") as cluster:
        set_up(cluster)
        cluster.request("POST", "/_license/start_trial", params={"acknowledge": "true"})
        address, credentials = str(cluster.address), cluster.credentials
        with open_elastic_window(address, credentials=credentials) as window:
            text = "In hour {} a mill burned down on the western spit."
            list(window.ingest(Document(f"h{n}", text.format(n), time=(HOUR + n) * 3_600) for n in range(3)))


@pytest.mark.usefixtures("half")
@pytest.mark.parametrize(
    ("user", "refused"),
    [
        ("sees_hour", r"indices:data/read/\S+ on half-2026\.11\.21-10"),
        ("sees_no_hour", r"indices:data/read/\S+ on half-2026\.11\.21-10"),
        ("no_signatures", r"the field neardup\.order \(field-level security\) on half-\*"),
    ],
)
def test_a_part_of_a_window_that_may_not_be_read_is_an_error_and_no_smaller_window(guarded, user, refused):
    with guarded.enter(user, "half") as cluster:
        address, credentials = str(cluster.address), cluster.credentials
    with pytest.raises(ClusterRefused, match=rf"{refused} .*the role reader \(or scorer\)"):
        open_elastic_window(address, readonly=True, credentials=credentials)


@pytest.mark.usefixtures("half")
def test_what_is_committed_while_a_reader_may_not_read_it_is_told_and_read_later(guarded):
    """It was not there for that reader, then and when the right was given back."""
    text = "In hour 3 a barn burned down on the eastern pier."
    with guarded.enter("narrowed", "half") as cluster, guarded.enter(SUPERUSER.name, "half") as super_user:
        address, credentials = str(cluster.address), cluster.credentials
        with open_elastic_window(address, readonly=True, credentials=credentials) as window:
            known = len(window)
            with narrowed_to_a_part(guarded, cluster):
                with open_elastic_window(address, credentials=super_user.credentials) as writer:
                    list(writer.ingest([Document("late", text, time=(HOUR + 1) * 3_600)]))
                for _ in range(2):
                    with pytest.raises(ClusterRefused, match=r"half-2026\.11\.21-10"):
                        window.refresh()
            window.refresh()
            assert (len(window), window.query(text).duplicate_of) == (known + 1, "late")


@contextmanager
def narrowed_to_a_part(guarded: Guarded, cluster: Cluster) -> Iterator[None]:
    """Meanwhile the user `narrowed`, of `cluster`, may read a part of the window only."""
    file = guarded.node.place / "config" / "roles.yml"
    whole, part = (json.dumps(partial_readers("half")[name]) for name in ("narrowed", "sees_hour"))

    def is_refused() -> bool:
        try:
            check_readable(cluster, ["half-2026.11.21-10"])
        except ClusterRefused:
            return True
        return False

    def change(to: str) -> None:
        file.write_text(re.sub("(?m)^narrowed: .*$", f"narrowed: {to}", file.read_text()))

    change(part)
    until(is_refused)
    yield
    change(whole)
    until(lambda: not is_refused())


@pytest.mark.usefixtures("half")
def test_texts_that_may_not_be_read_are_not_called_changed(guarded, caplog):
    with guarded.enter("no_texts", "half") as cluster:
        address, credentials = str(cluster.address), cluster.credentials
    with open_elastic_window(address, readonly=True, credentials=credentials) as window:
        window.query("In hour 1 a mill burned down on the eastern spit.")
    assert "h1 in half-2026.11.21-10 has no text in its field text that this user may read" in caplog.text


def test_an_alias_of_several_indices_that_may_not_be_read_is_an_error(guarded):
    with guarded.enter(SUPERUSER.name, "others") as cluster:
        for index in ("others-1", "others-2"):
            cluster.request("PUT", f"/{index}", body={"aliases": {"others": {}}})
    with guarded.enter("scorer", "news") as cluster, pytest.raises(ClusterRefused, match="others"):
        check_readable(cluster, ["others"])


def test_a_document_of_another_cluster_takes_the_rights_of_that_one(guarded):
    index = "abroad-2026.11.21-09"
    with guarded.enter(SUPERUSER.name, "abroad") as cluster:
        set_up(cluster)
        roll_over(cluster, HOUR * HOUR_MS)
        bulk(cluster, [Action("index", index, id, {"text": "A rose is a rose is a rose."}) for id in "ab"])
        cluster.request("POST", f"/{index}/_refresh")
        seeds = f"127.0.0.1:{guarded.node.transport_port}"
        cluster.request("PUT", "/_cluster/settings", body={"persistent": {"cluster.remote.me.seeds": seeds}})
    with guarded.enter("abroad", "abroad") as cluster:
        for name in (index, "abroad-*"):
            query = {"query": {"neardup": {"like": {"_index": f"me:{name}", "_id": "a"}}}}
            answer = cluster.request("POST", f"/me:{name}/_search", body=query)
            assert [hit["_id"] for hit in answer["hits"]["hits"]] == ["b"], name


QUERY: dict[str, Any] = {"query": {"match_all": {}}}
TEMPLATE = {"index_patterns": ["x-*"], "priority": 1}
FORBIDDEN: list[tuple[str, str, str, Any]] = [
    ("setup", "POST", "/news-2026.11.21-09/_search", QUERY),
    ("setup", "GET", "/news-2026.11.21-09/_doc/w", None),
    ("setup", "PUT", "/news-2026.11.21-09/_doc/x", {"text": "x"}),
    ("setup", "DELETE", "/news-2026.11.21-09", None),
    ("setup", "PUT", "/mail-2026.11.21-09", {}),
    ("setup", "PUT", "/_cluster/settings", {"persistent": {"cluster.max_shards_per_node": 2}}),
    ("setup", "POST", "/_aliases", {"actions": [{"add": {"index": "news-2026.11.21-09", "alias": "mail"}}]}),
    ("writer", "POST", "/news-*/_search", QUERY),
    ("writer", "GET", "/news-2026.11.21-09/_doc/w", None),
    ("writer", "PUT", "/news-2026.11.21-09/_doc/w", {"text": "overwritten"}),
    ("writer", "POST", "/news-2026.11.21-09/_update/w", {"doc": {"text": "changed"}}),
    ("writer", "DELETE", "/news-2026.11.21-09/_doc/w", None),
    ("writer", "DELETE", "/news-2026.11.21-09", None),
    ("writer", "PUT", "/mail-2026.11.21-09/_create/x", {"text": "x"}),
    ("writer", "PUT", "/neardup-state-news/_create/x", {"text": "x"}),
    ("writer", "PUT", "/_index_template/x", TEMPLATE),
    ("writer", "GET", "/_cluster/health", None),
    ("writer", "GET", "/_license", None),
    ("reader", "POST", "/mail-*,other/_search", QUERY),
    ("reader", "PUT", "/news-2026.11.21-09/_create/x", {"text": "x"}),
    ("reader", "POST", "/news-2026.11.21-09/_update/w", {"doc": {"text": "changed"}}),
    ("reader", "DELETE", "/news-2026.11.21-09/_doc/w", None),
    ("reader", "DELETE", "/news-2026.11.21-09", None),
    ("reader", "PUT", "/neardup-state-news/_create/x", {"text": "x"}),
    ("reader", "POST", "/news-2026.11.21-09/_close", None),
    ("reader", "GET", "/_cluster/health", None),
    ("scorer", "POST", "/mail-*,other/_search", QUERY),
    ("scorer", "GET", "/other/_doc/x", None),
    ("scorer", "POST", "/news-*/_search", {"query": {"neardup": {"like": {"_index": "other", "_id": "x"}}}}),
    ("scorer", "PUT", "/mail-2026.11.21-09/_doc/x", {"text": "x"}),
    ("scorer", "DELETE", "/neardup-state-news", None),
    ("scorer", "DELETE", "/other", None),
    ("scorer", "PUT", "/news-2026.11.21-09/_settings", {"index.final_pipeline": "_none"}),
    ("scorer", "POST", "/news-2026.11.21-09/_forcemerge", None),
    ("scorer", "POST", "/news-2026.11.21-09/_close", None),
    ("scorer", "POST", "/_aliases", {"actions": [{"add": {"index": "news-2026.11.21-09", "alias": "mail"}}]}),
    ("scorer", "PUT", "/_index_template/neardup-news", TEMPLATE),
    ("scorer", "PUT", "/_ingest/pipeline/neardup-news", {"processors": []}),
    ("scorer", "GET", "/_nodes", None),
    ("scorer", "PUT", "/_cluster/settings", {"persistent": {"cluster.max_shards_per_node": 2}}),
]


@pytest.mark.parametrize(("name", "method", "path", "body"), FORBIDDEN)
@pytest.mark.usefixtures("window")
def test_a_role_is_refused_what_is_not_its_work(guarded, name, method, path, body):
    with guarded.enter(name, "news") as cluster, pytest.raises(ClusterRefused) as caught:
        cluster.request(method, path, body=body)
    assert caught.value.action is not None


def test_a_wrong_password_is_told_without_showing_it(guarded):
    own = guarded.users["scorer"]
    wrong = Credentials(username=own.name, password="hush-hush", ca_certs=guarded.authority)
    with (
        Cluster(Address(guarded.node.url, "news"), wrong, patience=0) as cluster,
        pytest.raises(ClusterRefused, match="NEARDUP_API_KEY") as caught,
    ):
        cluster.request("GET", "/_cluster/health")
    assert "hush" not in repr(caught.value)


def test_no_credentials_are_refused(guarded):
    nobody = Credentials(ca_certs=guarded.authority)
    with (
        Cluster(Address(guarded.node.url, "news"), nobody, patience=0) as cluster,
        pytest.raises(ClusterRefused, match="requires some"),
    ):
        cluster.request("GET", "/_cluster/health")


def test_an_unknown_certificate_is_not_believed(guarded):
    with (
        Cluster(Address(guarded.node.url, "news"), patience=30) as cluster,
        pytest.raises(ClusterUnreachable, match=r"not trusted.*NEARDUP_CA_CERTS"),
    ):
        cluster.request("GET", "/_cluster/health")


@pytest.mark.usefixtures("window")
def test_verification_can_be_switched_off_and_says_so(guarded, caplog):
    own = guarded.users["scorer"]
    blind = Credentials(username=own.name, password=own.password, verify_certs=False)
    with Cluster(Address(guarded.node.url, "news"), blind, patience=0) as cluster:
        cluster.request("GET", "/neardup-state-news/_doc/window", missing_ok=True)
    assert "verify_certs is off" in caplog.text


def test_the_doctor_of_somebody_without_rights_names_the_role(guarded):
    with guarded.enter("writer", "news") as cluster:
        findings = list(examine(cluster.address, cluster.credentials))
    not_checked, last = findings[:-1], findings[-1]
    assert [each.what for each in not_checked] == [f"cluster {cluster.url}", "window news", "shards"]
    assert all(each.state == "warning" for each in not_checked)
    assert all(each.found.startswith("not checked: ") and "role setup" in each.found for each in not_checked)
    assert (last.what, last.state) == (f"cluster {cluster.url}", "bad")
