"""What goes wrong between a scorer and its cluster, short of a killed process: nothing is lost, nothing counts twice,
and every verdict is the one that an undisturbed run gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any
from unittest import mock

import pytest
from testing.cli.invocation import invoke
from testing.effort import LONG
from testing.node.killing import stored
from testing.window.backends import START, Place, document, grams, summaries
from testing.window.operations import Delete, Expire, Ingest, Operation, Reconcile, Run
from testing.window.proxy import Fault, Proxy, busy, half_busy, lost, too_large, unheard

from neardup.elastic.admin import setup
from neardup.elastic.admin.setup import apply, set_up
from neardup.elastic.http.address import Address
from neardup.elastic.http.admin_api import config_of_template
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.batch_writes import BatchWrites
from neardup.elastic.window.composer import Composer
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.state_recovery import describe
from neardup.elastic.window.undo_log import UndoEntry, UndoLog
from neardup.errors import ClusterRejected, ClusterUnreachable, DocumentError, NeardupError, WindowDamaged
from neardup.model.document import Document, Reject
from neardup.model.settings import Recipe
from neardup.opening import open_window
from neardup.signing.signer import signer_for

SETTINGS: dict[str, Any] = {"batch_documents": 20, "policy": "route", "window_hours": 2}
A, B, C = grams(0, 20), grams(2, 22), grams(50, 70)

OPERATIONS: list[Operation] = [
    Ingest([document(f"d{i}", (A, C, B, C, A + "!", "?")[i], i % 2) for i in range(6)]),
    Ingest([document("d1", B, 1), document("d0", C, 1), document("late", A, -0.5)]),
    Delete("d2"),
    Reconcile(),
    Ingest([document("d5", A, 1), document("e", grams(0, 18), 3)]),
    Reconcile(),
    Expire(4),
]  # fmt: skip
"""Batches that add, replace in the same hour and in another; copies that move; hours that go."""


@pytest.fixture(autouse=True)
def impatient():
    """A client that asks again soon, and writes also a few documents in two requests side by side."""
    with (
        mock.patch("neardup.elastic.http.client.FIRST_WAIT", 0.01),
        mock.patch("neardup.elastic.http.bulk.FEWEST_ACTIONS", 1),
    ):
        yield


def through(proxy: Proxy, cluster: Cluster) -> Address:
    """The address of the cluster's window through a proxy."""
    return Address(proxy.url, cluster.address.prefix)


class ClusterPlace(Place):
    """A place whose windows all are the one at `at`."""

    def __init__(self, cluster: Cluster, at: Address, path, **options: Any) -> None:
        super().__init__("elasticsearch", path)
        self._cluster, self._at, self._options = cluster, at, options

    def open(self, name: str = "window", **settings: Any):
        window = open_elastic_window(
            str(self._at),
            credentials=self._cluster.credentials,
            **{"patience": 20, **self._options, **settings},
        )
        self.opened.append(window)
        return window


def performed(run: Run, operations: list[Operation]) -> list[Any]:
    """Answers, and the state after each."""
    return [(run.perform(operation), run.state()) for operation in operations]


def contents(cluster: Cluster) -> list[Any]:
    """What is stored, without what says where, when and in which order it was scored."""
    found = []
    for index, id, source in stored(cluster):
        ours = {
            name: value
            for name, value in source["neardup"].items()
            if value is not None and name not in ("scored_at", "order", "group_order")
        }
        found.append((index.removeprefix(cluster.address.prefix), id, {**source, "neardup": ours}))
    return found


@pytest.fixture(scope="module")
def undisturbed(elasticsearch_url, credentials, tmp_path_factory):
    """(what each operation answers, what is stored in the end)."""
    from testing.node.prefix import fresh_prefix

    memory = Run(Place("memory", tmp_path_factory.mktemp("memory")), SETTINGS)
    expected = performed(memory, OPERATIONS)
    with fresh_prefix(elasticsearch_url, credentials) as cluster:
        place = ClusterPlace(cluster, cluster.address, None)
        assert performed(Run(place, SETTINGS), OPERATIONS) == expected
        place.close()
        return expected, contents(cluster)


@pytest.mark.parametrize("fault", [lost, unheard, busy, half_busy])
def test_a_fault_in_every_request_changes_nothing(cluster, undisturbed, tmp_path, fault):
    with Proxy(cluster.url) as proxy:
        place = ClusterPlace(cluster, through(proxy, cluster), tmp_path)
        run = Run(place, SETTINGS)
        proxy.arm(fault, *range(1, 1_000, 2))  # every request is sent again, and then heard
        assert performed(run, OPERATIONS) == undisturbed[0]
        place.close()
    assert contents(cluster) == undisturbed[1]


SHORT = [document(f"s{i}", (A, B, C, A)[i % 4], i % 2) for i in range(8)]


def test_an_answer_that_is_lost_at_any_request_changes_nothing(new_cluster):
    settings = SETTINGS | {"batch_documents": 4}
    expected = list(open_window(None, **settings).ingest(SHORT))
    at, count = 0, 1
    while at < count:
        at += 1 if LONG else 2
        cluster = new_cluster()
        open_elastic_window(str(cluster.address), credentials=cluster.credentials, **settings).close()
        with Proxy(cluster.url) as proxy:
            proxy.arm(lost, at)
            with open_elastic_window(str(through(proxy, cluster)), patience=20, **settings) as window:
                assert list(window.ingest(SHORT)) == expected, proxy.log[at - 1]
            count = len(proxy.log) - 1
        assert sorted(id for _, id, _ in stored(cluster)) == [item.id for item in SHORT]
    assert at > 8


# -- a process that ends in the middle --


class Killed(BaseException):
    """Nothing after this request has happened."""


@contextmanager
def killed_at(place: int, *, done: bool) -> Iterator[list[str]]:
    """A process that ends at its request of this place, before or after the node has `done` it, and sends no more."""
    real, log = Cluster.request, list[str]()

    def request(self: Cluster, method: str, path: str, **named: Any) -> Any:
        log.append(f"{method} {path}")
        if len(log) < place:
            return real(self, method, path, **named)
        if len(log) == place and done:
            real(self, method, path, **named)
        raise Killed

    # What this process holds ends with it.
    with (
        mock.patch.object(Cluster, "request", request),
        mock.patch("neardup.elastic.window.holders._at_work", set()),
    ):
        yield log


@pytest.mark.slow
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
def test_a_process_that_ends_at_any_request_has_done_an_operation_or_not(
    new_cluster, undisturbed, tmp_path, done
):
    expected = [Run(Place("memory", tmp_path), SETTINGS).state(), *(state for _, state in undisturbed[0])]
    at, last = 1 + done, 0
    while last < len(OPERATIONS):
        cluster = new_cluster()
        place = ClusterPlace(cluster, cluster.address, tmp_path)
        run, last = Run(place, SETTINGS), 0
        with killed_at(at, done=done) as log:
            try:
                for operation in OPERATIONS:
                    run.perform(operation)
                    last += 1
            except Killed:
                pass
        run = Run(place, SETTINGS)
        # Whoever writes next takes back what was left half-done.
        run.window.delete("nobody")
        assert run.state() in expected[last : last + 2], (at, log[-1])
        for operation in OPERATIONS[last:]:
            run.perform(operation)
        assert run.state() == expected[-1], (at, log[-1])
        assert contents(cluster) == undisturbed[1], (at, log[-1])
        place.close()
        at += 4 if LONG else 9
    assert at > 40


def test_a_window_whose_cluster_was_gone_goes_on_where_it_was(cluster, undisturbed, tmp_path):
    with Proxy(cluster.url) as proxy:
        place = ClusterPlace(cluster, through(proxy, cluster), tmp_path, patience=0)
        run, rest = Run(place, SETTINGS), list(OPERATIONS)
        fault: Fault
        for fault, at, changed in ((lost, 5, True), (unheard, 2, False), (lost, 4, True), (lost, 4, False)):
            proxy.arm(fault, *range(at, 100))
            with pytest.raises(ClusterUnreachable):
                run.perform(rest[0])
            proxy.arm(lost)
            if not changed:  # it never came to that: the window stays open
                assert not run.window.delete("nobody")
                continue
            with pytest.raises(NeardupError, match="open it again"):
                run.window.delete("d0")
            run = Run(place, SETTINGS)
        assert performed(run, rest)[-1][1] == undisturbed[0][-1][1]
        place.close()
    assert contents(cluster) == undisturbed[1]


# -- documents that others delete --


def test_a_document_that_another_client_deleted_is_new_when_it_comes_again(cluster):
    first, again, other = document("a", A, 0), document("a", A, 0.2), document("b", C, 0.1)
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        assert [verdict.status for verdict in window.ingest([first, other])] == ["unique", "unique"]
        index = next(index for index, id, _ in stored(cluster) if id == "a")
        cluster.request("DELETE", f"/{index}/_doc/a")
        assert [found and found.text for found in window.read(["a", "b"])] == [None, C]
        verdicts = list(window.ingest([again, again, other, document("c", A, 0.3)]))
        assert [verdict.status for verdict in verdicts] == ["unique", "unique", "unique", "exact"]
        assert window.stats().documents == 3
    assert sorted(id for _, id, _ in stored(cluster)) == ["a", "b", "c"]
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        stands = [window.get(id) for id in "abc"]
        assert [verdict and verdict.status for verdict in stands] == ["unique", "unique", "exact"]


@pytest.mark.parametrize("candidates", ["memory", "search"])
def test_a_document_whose_text_another_client_changed_or_deleted_is_like_no_other(cluster, candidates):
    """Where its size was known, and all texts were ASCII, all of its q-grams passed for shared."""
    texts = [
        f"The ferry ran aground off the {place} at dawn, and forty passengers were saved." for place in "xyz"
    ]
    index = cluster.address.hourly(START // 3_600)
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        assert [v.status for v in window.ingest([document("a", texts[0]), document("b", texts[1])])][
            1
        ] == "near"
    with open_elastic_window(
        str(cluster.address), credentials=cluster.credentials, candidates=candidates
    ) as window:
        list(window.ingest([document("other", C)]))  # reads the window
        actions = [Action("update", index, "a", {"text": C}), Action("delete", index, "b", None)]
        assert all(outcome.ok for outcome in bulk(cluster, actions))
        assert [verdict.status for verdict in window.ingest([document("c", texts[2])])] == ["unique"]
        assert window.query(f"{texts[0]} Yes.").duplicate_of == "c"
        with pytest.raises(DocumentError, match=r"document 'a' cannot be used: .* index it again whole"):
            window.query(id="a")


def test_reconciled_a_document_whose_text_another_client_changed_keeps_its_verdict(cluster):
    """It became `empty`."""
    texts = [
        f"The ferry ran aground off the {place} at dawn, and forty passengers were saved." for place in "xyz"
    ]
    index = cluster.address.hourly(START // 3_600)
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        made = list(window.ingest([document(id, text) for id, text in zip("abc", texts, strict=True)]))
        assert summaries(made[1:]) == [("b", "near", "a", "a"), ("c", "near", "a", "a")]
    assert all(outcome.ok for outcome in bulk(cluster, [Action("update", index, "b", {"text": C})]))
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        before = list(window.groups())
        (changed,) = window.reconcile()  # it names b no more
        assert (changed.id, [match.id for match in changed.matches]) == ("c", ["a"])
        assert list(window.groups()) == before
    assert all(outcome.ok for outcome in bulk(cluster, [Action("update", index, "a", {"text": C})]))
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        assert summaries(window.reconcile()) == [("c", "unique", None, "c")]
        after = [window.get("a"), window.get("b"), list(window.groups())]
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        assert [window.get("a"), window.get("b"), list(window.groups())] == after
        assert after[:2] == made[:2]


@pytest.mark.parametrize("is_made_again", [False, True])
def test_documents_of_an_hour_that_another_client_deleted_are_copied_by_none(cluster, caplog, is_made_again):
    """What came next was called a copy of them, as long as their texts were kept in memory."""
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        list(window.ingest([document("a", A, 0), document("b", B, 1)]))
        index = next(index for index, id, _ in stored(cluster) if id == "a")
        cluster.request("DELETE", f"/{index}")
        if is_made_again:
            cluster.request("PUT", f"/{index}")
        verdicts = list(window.ingest([document("c", A, 1.1), document("a", A, 0)]))
        assert [(each.id, each.duplicate_of) for each in verdicts] == [("c", "b"), ("a", None)]
        assert [each for each in caplog.messages if "deleted" in each] == [
            f"{index}: deleted, but not by neardup; its documents are no longer compared, and the window is read again"
        ]
        assert window.stats().documents == 3


@pytest.mark.parametrize("candidates", ["memory", "search"])
def test_an_hour_that_is_made_anew_without_its_template_is_refused_as_any_other_hour(cluster, candidates):
    """It had been looked at when it was first made: verdicts were given on what nobody had signed, and the window could
    not be opened any more.
    """
    url = str(cluster.address)
    with open_elastic_window(url, credentials=cluster.credentials, candidates=candidates) as window:
        list(window.ingest([document("a", A, 0)]))
        list(window.ingest([document("b", B, 0)]))
        cluster.request("DELETE", f"/_index_template/{cluster.address.template}")
        cluster.request("DELETE", f"/{cluster.address.hourly(START // 3_600)}")
        with pytest.raises(WindowDamaged, match=r"an index signed by None.*delete it.*`neardup setup"):
            list(window.ingest([document("c", C, 0)]))
    cluster.request("DELETE", f"/{cluster.address.hourly(START // 3_600)}")
    set_up(cluster)
    with open_elastic_window(url, credentials=cluster.credentials, candidates=candidates) as window:
        assert [each.status for each in window.ingest([document("c", C, 0)])] == ["unique"]


@pytest.mark.parametrize("is_made_again", [False, True])
def test_a_reader_notices_an_hour_that_another_client_deleted(cluster, caplog, is_made_again):
    """It named its documents until the writer changed one, which may be never."""
    url, credentials = str(cluster.address), cluster.credentials
    with open_elastic_window(url, credentials=credentials) as window:
        list(window.ingest([document("a", A, 0), document("b", A, 1), document("c", A, 1)]))
    index = next(index for index, id, _ in stored(cluster) if id == "a")
    with open_elastic_window(url, credentials=credentials, readonly=True) as reader:
        assert reader.stats().documents == 3
        assert not reader.refresh()
        cluster.request("DELETE", f"/{index}")
        if is_made_again:
            cluster.request("PUT", f"/{index}")
        assert reader.refresh()
        assert (reader.stats().documents, reader.query(A).duplicate_of) == (2, "b")
        assert [each for each in caplog.messages if "deleted" in each] == [
            f"{index}: deleted, but not by neardup; its documents are no longer compared, and the window is read again"
        ]
        assert not reader.refresh()


def test_an_hour_that_another_client_deleted_is_not_made_anew_by_an_undo(cluster, caplog):
    """The next scorer put back what had been about to move, into a new index of that hour."""
    url = str(cluster.address)
    with open_elastic_window(url, credentials=cluster.credentials) as window:
        list(window.ingest([document("a", A, 0), document("b", A, 0), document("c", A, 1)]))
    index = cluster.address.hourly(START // 3_600)
    cluster.request("PUT", f"/{index}/_settings", body={"index.blocks.write": True})
    with (
        open_elastic_window(url, credentials=cluster.credentials, policy="route") as window,
        pytest.raises(ClusterRejected, match="lift the block of that index"),
    ):
        list(window.reconcile())
    cluster.request("DELETE", f"/{index}")
    with open_elastic_window(url, credentials=cluster.credentials) as window:
        list(window.ingest([document("d", C, 1)]))
        assert (len(window), "b" in window) == (2, False)
    assert f"{index}: deleted, but not by neardup; changes in it (" in caplog.text
    assert [id for _, id, _ in stored(cluster)] == ["c", "d"]


def test_a_window_whose_hours_are_all_closed_says_so(cluster):
    url, credentials = str(cluster.address), cluster.credentials
    with open_elastic_window(url, credentials=credentials) as window:
        list(window.ingest([document("a", A, 0)]))
    ((index, _, _),) = stored(cluster)
    cluster.request("POST", f"/{index}/_close")
    with (
        open_elastic_window(url, credentials=credentials, readonly=True) as reader,
        pytest.raises(ClusterRejected, match=rf"{index} .*open that index"),
    ):
        reader.query(A)


# -- documents that the cluster will not have --


def with_rank(id: str, text: str, hour: float, rank: Any) -> Document:
    return document(id, text, hour)._replace(fields={"rank": rank})


def rejected_and_verdicts(window, documents):
    rejects = list[Reject]()
    return rejects, list(window.ingest(documents, on_reject=rejects.append))


@pytest.mark.parametrize("batch", [1, 3, 50])
def test_a_document_that_does_not_fit_its_index_is_rejected_as_if_it_had_never_come(cluster, batch):
    settings: dict[str, Any] = {"batch_documents": batch, "window_hours": 5}
    fit = [with_rank("a", A, 0, 1), with_rank("b", A, 0, 2), with_rank("c", C, 1, 3), with_rank("d", B, 1, 4)]
    bad = [
        with_rank("head", grams(100, 120), 0, "first"),  # nothing may be a copy of it
        with_rank("a", C, 0, "a new text"),  # the old one stays
        with_rank("b", C, 1, "in another hour"),
    ]
    more = [with_rank("e", grams(100, 120), 0, 5), with_rank("f", A, 1, 6), with_rank("g", C, 2, 7)]
    reference = open_window(None, **settings)
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials, **settings) as window:
        expected = list(reference.ingest([*fit, *more]))
        assert list(window.ingest(fit)) == expected[:4]
        rejects, verdicts = rejected_and_verdicts(window, [bad[0], more[0], bad[1], more[1], bad[2], more[2]])
        assert sorted(reject.id for reject in rejects) == ["a", "b", "head"]
        assert all("parsing_exception" in reject.reason and "rank" in reject.reason for reject in rejects)
        assert verdicts == expected[4:]
        for opened in (window, open_elastic_window(str(cluster.address), credentials=cluster.credentials)):
            assert list(opened.groups()) == list(reference.groups())
            assert opened.stats().hours == reference.stats().hours
            assert opened.query(id="a").matches == reference.query(id="a").matches
        assert list(window.ingest([*fit, *more])) == expected
    assert sorted(id for _, id, _ in stored(cluster)) == list("abcdefg")


def test_a_text_to_be_shown_anew_whose_fields_do_not_fit_is_rejected_and_the_stored_one_stays(cluster):
    with open_elastic_window(str(cluster.address)) as window:
        verdicts = list(
            window.ingest(with_rank(id, text, 0, 1) for id, text in zip("abc", (A, B, C), strict=True))
        )
        ranks = {"a": "no number", "b": 7, "c": float("inf")}
        again = [
            with_rank(verdict.id, f"{text}!", 0, ranks[verdict.id])
            for verdict, text in zip(verdicts, (A, B, C), strict=True)
        ]
        rejects, again_verdicts = rejected_and_verdicts(window, again)
        assert sorted(reject.id for reject in rejects if reject.id) == ["a", "c"]
        assert again_verdicts == verdicts[1:2]
        assert [read and read.text for read in window.read(list("abc"))] == [A, f"{B}!", C]
        # What was refused is not taken for what is stored: the same texts are shown with other fields.
        assert (
            list(
                window.ingest(
                    with_rank(id, f"{text}!", 0, 2) for id, text in zip("abc", (A, B, C), strict=True)
                )
            )
            == verdicts
        )
        assert [read and read.text for read in window.read(list("abc"))] == [f"{A}!", f"{B}!", f"{C}!"]
        assert next(window.ingest([with_rank("d", A, 1, 1)])).duplicate_of == "a"


def test_an_hour_that_is_deleted_before_a_text_in_it_is_shown_anew_is_not_made_again(cluster, caplog):
    with open_elastic_window(str(cluster.address)) as window:
        verdicts = list(window.ingest([document("a", A)]))
        ((index, _, _),) = stored(cluster)
        shown_anew = BatchWrites.show_anew

        def deleted_meanwhile(*arguments):
            cluster.request("DELETE", f"/{index}")
            shown_anew(*arguments)

        with mock.patch.object(BatchWrites, "show_anew", deleted_meanwhile):
            assert list(window.ingest([document("a", f"{A}!")])) == verdicts
        assert stored(cluster) == []
        assert not cluster.request("GET", f"/{index}/_settings", params={"ignore_unavailable": "true"})
    assert "the texts of documents in it (1) are not changed" in caplog.text


def test_an_infinite_number_is_rejected_and_a_missing_one_is_null(cluster):
    """Of both null was made."""
    infinite, missing = (
        document(id, A)._replace(fields={"rank": {"of": [1.5, number]}})
        for id, number in (("infinite", float("inf")), ("missing", float("nan")))
    )
    with open_elastic_window(str(cluster.address)) as window:
        (reject,), (verdict,) = rejected_and_verdicts(window, [infinite, missing])
        assert (reject.id, verdict.id, verdict.status) == ("infinite", "missing", "unique")
        assert "cannot be written as JSON: JSON has no number inf" in reject.reason


@pytest.mark.parametrize("candidates", ["memory", "search"])
def test_a_text_that_the_nodes_do_not_sign_is_rejected_and_not_told_as_scored(cluster, candidates):
    set_up(cluster, sign="plugin", max_length=len(A))
    with open_elastic_window(str(cluster.address), candidates=candidates) as window:
        rejects, verdicts = rejected_and_verdicts(
            window, [document("fits", A), document("long", f"{A}."), document("copy", A)]
        )
        assert summaries(verdicts) == [("fits", "unique", None, "fits"), ("copy", "exact", "fits", "fits")]
        assert [reject.id for reject in rejects] == ["long"]
        reason = f"text has {len(A) + 1:,} characters, and the nodes sign at most {len(A):,}"
        assert reason in rejects[0].reason
        # Nor does it take the place of what is there by its id, until the nodes sign as much.
        assert rejected_and_verdicts(window, [document("fits", B + C)])[1] == []
        assert window.get("fits") is not None
    set_up(cluster, max_length=len(A) + 1)
    describe(str(cluster.address))
    with open_elastic_window(str(cluster.address), candidates=candidates) as window:
        assert summaries(window.ingest([document("long", f"{A}.")])) == [("long", "exact", "copy", "fits")]
    assert sorted(id for _, id, _ in stored(cluster)) == ["copy", "fits", "long"]


def test_what_was_signed_when_the_nodes_signed_longer_texts_stays_signed(cluster):
    """What is moved, or put back by the undo log, is written whole: nodes would take signature and verdict out."""
    url, stream = str(cluster.address), [document("a", A), document("b", A), document("c", C)]
    set_up(cluster, sign="plugin", max_length=len(A))
    with open_elastic_window(url) as window:
        list(window.ingest(stream))
        before = [window.get(id) for id in "abc"]
        objects = {id: source["neardup"] for _, id, source in stored(cluster)}
    set_up(cluster, max_length=len(A) - 1)
    describe(url)
    with open_elastic_window(url, policy="route") as window:
        list(window.reconcile())
        for now in (window, reopened := open_elastic_window(url, readonly=True)):
            assert [now.get(id) for id in "abc"] == before
            assert now.query(A).duplicate_of == "a"
        reopened.close()
    moved = {id: source["neardup"] for _, id, source in stored(cluster)}
    written = {name: value for name, value in moved["b"].items() if value is not None}
    assert written == objects["b"] | {"scored_at": written["scored_at"]}
    assert [index for index, id, _ in stored(cluster) if id == "b"] == [
        cluster.address.copies(START // 3_600)
    ]

    composer = Composer(
        Layout.described(cluster.address, config_of_template(cluster) or {}, None), signer_for(Recipe())
    )
    log, index = (
        UndoLog(cluster, lambda: None, composer),
        cluster.address.hourly(START // 3_600),
    )
    source = next(source for _, id, source in stored(cluster) if id == "a")
    log.write(7, [UndoEntry(index, "a", source)])
    bulk(cluster, [Action("delete", index, "a")])
    log.undo([7])
    # Of this only the verdict was to change; who puts it back is interrupted, and does so again.
    verdict = {name: source["neardup"][name] for name in ("status", "order")}
    log.write(8, [UndoEntry(index, "a", fields=verdict)])
    with mock.patch.object(composer, "signing", side_effect=KeyboardInterrupt), suppress(KeyboardInterrupt):
        log.undo([8])
    log.undo([8])
    with open_elastic_window(url) as window:
        assert [window.get(id) for id in "abc"] == before


def test_a_scorer_rejects_what_nodes_are_about_to_sign_no_more(cluster, monkeypatch):
    """It told a verdict, and the pipeline took it out of the document."""
    url, long = str(cluster.address), f"{C}."
    set_up(cluster, sign="plugin", max_length=len(long))

    def applied(there, made, done):
        apply(there, made, done)
        rejects, verdicts = rejected_and_verdicts(window, [document("b", long), document("c", C)])
        assert [verdict.id for verdict in verdicts] == ["c"]
        assert "max_length of this window" in rejects[0].reason

    monkeypatch.setattr(setup, "apply", applied)
    with open_elastic_window(url) as window:
        list(window.ingest([document("a", A)]))
        assert invoke("setup", "--window", url, "--max-length", str(len(C))).exit_code == 0


@pytest.mark.parametrize("candidates", ["memory", "search"])
def test_a_scorer_follows_what_nodes_sign_by_now(cluster, candidates):
    """What is between two limits is rejected, or taken, as if the scorer were opened anew."""
    url, long = str(cluster.address), f"{C}."
    set_up(cluster, sign="plugin", max_length=len(long))
    with open_elastic_window(url, candidates=candidates) as window:
        list(window.ingest([document("a", A)]))
        for limit, expected in ((len(C), []), (len(long), ["b"])):
            set_up(cluster, max_length=limit)
            describe(url)
            rejects, verdicts = rejected_and_verdicts(window, [document("b", long)])
            assert [verdict.id for verdict in verdicts] == expected
            assert len(rejects) + len(verdicts) == 1
        assert window.get("b") == open_elastic_window(url, readonly=True).get("b") is not None


def test_a_document_whose_new_place_is_taken_stays_and_all_others_move(cluster, caplog):
    """It was the end of every `reconcile`, until somebody deleted what another client had written there."""
    url, own = str(cluster.address), cluster.address
    hour, copies = own.hourly(START // 3_600), own.copies(START // 3_600)
    with open_elastic_window(url) as window:
        list(window.ingest([document(id, A) for id in "abc"]))
    assert bulk(cluster, [Action("create", copies, "b", {"text": C})])[0].ok
    for stays in ("b", ""):
        with open_elastic_window(url, policy="route") as window:
            list(window.reconcile())
            verdicts = [verdict for id in "abc" if (verdict := window.get(id))]
            assert [verdict.duplicate_of for verdict in verdicts] == [None, "a", "a"]
        places = {id: at for at, id, source in stored(cluster) if source["text"] == A}
        assert places == {"a": hour, "b": hour if stays else copies, "c": copies}
        told = [message for message in caplog.messages if "stays where it is" in message]
        assert [message[0] for message in told] == ["b"]
        assert "so delete that one, and run again" in told[0]
        bulk(cluster, [Action("delete", copies, "b")] if stays else [])


def test_numbers_of_a_document_that_moves_stay_as_they_came(cluster):
    """Those beyond 64 bits became floating point."""
    hour, copies = cluster.address.hourly(START // 3_600), cluster.address.copies(START // 3_600)
    mapping, number = {"properties": {"n": {"type": "keyword"}}}, 10 * 2**64 + 1
    with open_elastic_window(str(cluster.address), policy="mark") as window:
        list(window.ingest([document("a", A)]))
        cluster.request("PUT", f"/{hour}/_mapping", body=mapping)
        cluster.request("PUT", f"/{copies}", body={"mappings": mapping})
        list(window.ingest([document("b", A)._replace(fields={"n": number})]))
    with open_elastic_window(str(cluster.address), policy="route") as window:
        list(window.reconcile())
    (moved,) = [source for at, _, source in stored(cluster) if at == copies]
    assert moved["n"] == number


def test_a_copy_that_cannot_be_put_back_is_not_searched(cluster):
    """It was, until the window was opened again."""
    url = str(cluster.address)
    with open_elastic_window(url, policy="route") as window:
        list(window.ingest([document("a", A), document("b", A)]))
    hour = cluster.address.hourly(START // 3_600)
    assert bulk(cluster, [Action("create", hour, "b", {"text": C})])[0].ok
    with open_elastic_window(url, policy="mark") as window:
        assert list(window.reconcile()) == []
        assert [match.id for match in window.query(A).matches] == ["a"]
    with open_elastic_window(url, readonly=True) as window:
        assert [match.id for match in window.query(A).matches] == ["a"]


def test_what_could_be_written_can_be_moved_and_put_back(cluster):
    """Text and signature together are more than a proxy takes, which took the text."""
    text, other = (
        " ".join(f"{word * 7919 % 104729:x}" for word in range(at, at + 9_000)) for at in (0, 50_000)
    )
    with closing(Proxy(cluster.url)) as proxy:
        proxy.arm_where(too_large, lambda _, request: len(request.body or b"") > 1.5 * len(text))
        url = str(through(proxy, cluster))
        with open_elastic_window(url) as window:
            list(window.ingest([document("a", text), document("b", f"{text}!"), document("c", other)]))
        objects = {id: source["neardup"] for _, id, source in stored(cluster)}
        with open_elastic_window(url, policy="route") as window:
            list(window.reconcile())
        index = cluster.address.copies(START // 3_600)
        ((there, moved),) = [(at, source) for at, id, source in stored(cluster) if id == "b"]
        assert there == index
        for name in ("qgrams", "sentences", "fingerprint", "duplicate_of"):
            assert moved["neardup"][name] == objects["b"][name]

        with Cluster(Address(proxy.url, cluster.address.prefix)) as limited:
            layout = Layout.described(cluster.address, config_of_template(cluster) or {}, None)
            composer = Composer(layout, signer_for(Recipe()))
            log = UndoLog(limited, lambda: None, composer)
            assert log.write(7, [UndoEntry(index, "b", composer.lean(moved))]) == []
            for change in (lambda: None, lambda: bulk(cluster, [Action("delete", index, "b")])):
                change()
                log.undo([7])
                log.write(7, [UndoEntry(index, "b", composer.lean(moved))])
                assert [source for _, id, source in stored(cluster) if id == "b"] == [moved]


def test_a_rejected_document_of_a_later_time_expires_nothing(cluster):
    settings: dict[str, Any] = {"batch_documents": 10, "window_hours": 2}
    stored_first, then = (
        [document("x", A, 0), document("y", C, 1)],
        [document("a", A, 1), document("b", A, 1)],
    )
    unfit = document("unfit", B, 30)._replace(fields={"n": 1, "n.m": 2})
    reference = open_window(None, **settings)
    list(reference.ingest(stored_first))
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials, **settings) as window:
        list(window.ingest(stored_first))
        rejects, verdicts = rejected_and_verdicts(window, [then[0], unfit, then[1]])
        assert [reject.id for reject in rejects] == ["unfit"]
        assert verdicts == list(reference.ingest(then))
        assert window.stats().newest == reference.stats().newest
        assert list(window.groups()) == list(reference.groups())
    assert sorted(id for _, id, _ in stored(cluster)) == ["a", "b", "x", "y"]


def test_an_expiry_that_ends_half_way_names_what_went_and_what_stays_is_counted_later(cluster, caplog):
    documents = [document(f"d{i}", A, i // 2) for i in range(8)]
    with open_elastic_window(
        str(cluster.address), credentials=cluster.credentials, window_hours=24
    ) as window:
        list(window.ingest(documents))
        first, *rest = sorted({index for index, *_ in stored(cluster)})
        cluster.request("PUT", f"/{first}/_settings", body={"index.blocks.read_only": True})
        with pytest.raises(ClusterRejected, match=rf"{first}.*lift the block"):
            window.expire(START + 3 * 3_600, keep_hours=1)
        names = [index.removeprefix(f"{cluster.address.prefix}-") for index in rest[:-2]]
        assert (
            f"hours dropped ({len(names)}): {', '.join(names)}; the others could not be dropped"
            in caplog.text
        )
        cluster.request("PUT", f"/{first}/_settings", body={"index.blocks.read_only": None})
        tried = window.expire(START + 3 * 3_600, keep_hours=1, dry_run=True)
        expired = window.expire(START + 3 * 3_600, keep_hours=1)
    assert tried == expired == [first.removeprefix(f"{cluster.address.prefix}-")]
    assert tried.documents == expired.documents == 2


def test_an_id_that_another_client_took_is_a_reject_and_its_document_is_left_alone(cluster):
    theirs = {"text": "They wrote this.", "@timestamp": "2020-09-13T12:30:00Z", "own": [1, 2]}
    reference = open_window(None)
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        list(window.ingest([document("a", A)]))
        list(reference.ingest([document("a", A)]))
        place = f"/{cluster.address.hourly(START // 3_600)}/_doc/taken"
        cluster.request("PUT", place, body=theirs)
        before = cluster.request("GET", place)
        rejects, verdicts = rejected_and_verdicts(
            window, [document("taken", A), document("b", A), document("c", C)]
        )
        assert [reject.id for reject in rejects] == ["taken"]
        assert "another client" in rejects[0].reason
        assert verdicts == list(reference.ingest([document("b", A), document("c", C)]))
        assert summaries(verdicts)[0] == ("b", "exact", "a", "a")
    assert cluster.request("GET", place) == before
