"""A pass over the backlog, shared with other scorers."""

from __future__ import annotations

from unittest import mock

import pytest

from neardup.elastic.http.scan import Entry
from neardup.elastic.watch import scoring_pass
from neardup.elastic.watch.backlog import LayoutChanged
from neardup.elastic.watch.claims import Claim, PredecessorLost
from neardup.elastic.watch.scoring_pass import BacklogScorer
from neardup.model.document import ForeignDocument, Origin, Reject
from neardup.model.settings import Settings
from neardup.window.base import SettingsChanged

HOUR = "news-2026.11.21-09"


def test_what_gets_no_verdict_is_told_once_though_a_claim_is_begun_anew(monkeypatch):
    """Of three scorers one ended, and another took its claim over: the third told its own rejects twice."""
    marked, waiting, told = list[Origin](), list[Origin](), list[Reject]()
    bad, good = (Origin(HOUR, id, 1, 1, None) for id in ("bad", "good"))
    items = [(bad, Reject("bad", "no text")), (good, ForeignDocument("good", "Rain.", None, good))]

    def read(entries, *, most):
        yield [item for item in items if item[0] not in marked]

    def write():
        marked.extend(waiting)
        done = len(waiting)
        waiting.clear()
        return done

    marks = mock.Mock(write=write, add=lambda origin, _: waiting.append(origin))
    marks.is_unmarkable.return_value = False
    monkeypatch.setattr(scoring_pass, "BacklogReader", mock.MagicMock())
    monkeypatch.setattr(scoring_pass, "ForeignDocuments", lambda *_: mock.Mock(read=read))
    monkeypatch.setattr(scoring_pass, "UnscoredMarks", lambda *_: marks)
    own = Claim(1, "own", 0, (Entry(0, "bad", HOUR, None), Entry(0, "good", HOUR, None)))
    claims = mock.Mock(**{"take_over.return_value": False})  # somebody else was faster
    claims.next.side_effect = [own, None]
    claims.wait_for_turn.side_effect = [PredecessorLost(own._replace(ticket=0, holder="dead")), None]
    monkeypatch.setattr(scoring_pass, "Claims", lambda *_, **__: claims)

    def ingest_in_turn(documents, wait, on_reject):
        batch = [next(documents)]
        wait()
        yield from batch
        assert not [each for each in documents if isinstance(each, ForeignDocument)]

    settings = Settings(candidates="search", batch_documents=8)
    window = mock.Mock(settings=settings, ingest_in_turn=ingest_in_turn)
    scorer = BacklogScorer(window, mock.Mock(), mock.Mock(), on_reject=told.append, stopped=lambda: False)
    assert [verdict.id for verdict in scorer.one_pass()] == ["good"]
    assert [reject.id for reject in told] == ["bad"]
    assert (marked, scorer.handled) == ([bad], 2)


def test_a_claim_that_was_found_by_the_fields_of_before_is_nobody_s(monkeypatch):
    """It was taken over with its times, of another field: documents were decided in no order, at the hour of their
    index, for good.
    """
    for name in ("BacklogReader", "UnscoredMarks"):
        monkeypatch.setattr(scoring_pass, name, mock.MagicMock())
    monkeypatch.setattr(
        scoring_pass,
        "ForeignDocuments",
        lambda *_: mock.Mock(**{"read.side_effect": LayoutChanged(mock.Mock())}),
    )
    claims = mock.Mock(**{"next.return_value": Claim(1, "own", 0, (Entry(None, "a", HOUR, None),))})
    monkeypatch.setattr(scoring_pass, "Claims", lambda *_, **__: claims)
    window = mock.Mock(settings=Settings(candidates="search", batch_documents=8))
    scorer = BacklogScorer(window, mock.Mock(), mock.Mock(), on_reject=mock.Mock(), stopped=lambda: False)
    with pytest.raises(LayoutChanged):
        list(scorer.one_pass())
    claims.withdraw.assert_called_once()


def test_what_gets_no_verdict_is_marked_before_the_window_is_opened_again(monkeypatch):
    """Else it would be read, and reported, again."""
    marks = mock.Mock(**{"write.return_value": 1, "is_unmarkable.return_value": False})
    bad = Origin(HOUR, "bad", 1, 1, None)
    items = [(bad, Reject("bad", "no text"))]
    monkeypatch.setattr(scoring_pass, "BacklogReader", mock.MagicMock())
    monkeypatch.setattr(
        scoring_pass, "ForeignDocuments", lambda *_: mock.Mock(read=lambda *_, **__: iter([items]))
    )
    monkeypatch.setattr(scoring_pass, "UnscoredMarks", lambda *_: marks)

    def ingest(documents, on_reject):
        yield from []
        next(documents)
        raise SettingsChanged("threshold 0.9")

    window = mock.Mock(settings=Settings(batch_documents=8), ingest=ingest)
    scorer = BacklogScorer(window, mock.Mock(), mock.Mock(), on_reject=mock.Mock(), stopped=lambda: False)
    with pytest.raises(SettingsChanged):
        list(scorer.one_pass())
    marks.add.assert_called_once_with(bad, "no text")
    marks.write.assert_called_once()
    assert scorer.handled == 1
