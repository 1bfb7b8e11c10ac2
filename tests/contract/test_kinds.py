"""Kinds of copies: on every engine those of the definitions, of the texts as they came, and never more than a label."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from testing.window.backends import document, engines_only

from neardup.kinds import kind_of
from neardup.model.document import Document
from neardup.model.settings import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from testing.window.backends import Place

WORDS = "harbour ferry spit dawn owners cargo tide pilot mayor nobody engine crew storm night lamp rope chart".split()  # noqa: SIM905


def stream(seed: int, count: int = 40) -> Iterator[Document]:
    """Stories, with what becomes of them: other figures, quotes, footers, passages of their own, signs left out."""
    rng = random.Random(seed)
    texts: list[str] = []
    for at in range(count):
        text = (
            " ".join(rng.choice(WORDS) for _ in range(60))
            + f". Paid 12.5 on 3 May {rng.randrange(1900, 2000)}.\n"
        )
        if texts and rng.random() < 0.7:
            text = changed(rng.choice(texts), text, rng)
        texts.append(text)
        yield document(str(at), text, at / 10)


def changed(text: str, other: str, rng: random.Random) -> str:
    match rng.randrange(6):
        case 0:
            return text.replace("12.5", "125")
        case 1:
            return text.replace("12.5", str(rng.randrange(100))).replace("3 May", "14 June")
        case 2:
            return f"{other[:80]}\nAnn wrote:\n> {text}"
        case 3:
            return f"{text}\n-- \n{other[:60]}"
        case 4:
            return f"{text}{other[:100]} http://a.example/{rng.random()}"
        case _:
            return text.upper().lower() if rng.random() < 0.5 else text


@engines_only
def test_a_kind_is_that_of_the_texts_as_they_came(place: Place) -> None:
    documents = list(stream(1))
    texts = {each.id: each.text for each in documents}
    window = place.open(kinds=True, window_hours=0)
    verdicts = list(window.ingest(documents))
    named = {"copy"}
    for verdict in verdicts:
        if not verdict.is_copy:
            assert (verdict.kind, verdict.differing) == (None, None)
            continue
        wanted = kind_of(texts[verdict.id], texts[str(verdict.duplicate_of)])
        assert (verdict.kind, verdict.differing) == (wanted.name, wanted.differing)
        named.add(wanted.name)
    assert any(verdict.differing for verdict in verdicts)
    window = place.reopened(window, kinds=True, window_hours=0)
    assert [window.get(verdict.id) for verdict in verdicts] == verdicts
    kinds = {verdict.id: verdict.kind for verdict in verdicts}
    assert all(member.kind == kinds[member.id] for group in window.groups() for member in group.members)
    counted = [verdict.kind for verdict in verdicts if verdict.kind]
    assert window.stats().kinds == {kind: counted.count(kind) for kind in set(counted)}
    assert list(window.reconcile()) == []


@engines_only
def test_a_window_that_folds_case_has_kinds_by_folded_texts(place: Place) -> None:
    """What differed in case alone was exact, and of the kind other."""
    text = next(stream(1)).text
    texts = [text, text.upper(), text.title().replace("A", "a", 1)]
    window = place.open(kinds=True, window_hours=0, recipe=Recipe(fold_case=True))
    verdicts = list(window.ingest([Document(str(at), each) for at, each in enumerate(texts)]))
    assert [(verdict.status, verdict.kind) for verdict in verdicts[1:]] == [("exact", "copy")] * 2


@engines_only
def test_a_query_says_the_kind(place: Place) -> None:
    documents = list(stream(2, 20))
    window = place.open(kinds=True, window_hours=0)
    list(window.ingest(documents))
    text = documents[0].text.replace("12.5", "125")
    verdict = window.query(text)
    wanted = kind_of(text, next(each.text for each in documents if each.id == verdict.duplicate_of))
    assert (verdict.kind, verdict.differing) == (wanted.name, wanted.differing) == ("copy", ("125", "12.5"))
    copy = window.query(id=str(verdict.duplicate_of))
    assert (copy.kind is not None) == copy.is_copy


@engines_only
def test_kinds_change_nothing_else(place: Place) -> None:
    one = list(place.open("one", kinds=True, window_hours=0).ingest(stream(3)))
    two = list(place.open("two", kinds=False, window_hours=0).ingest(stream(3)))
    assert [verdict._replace(kind=None, differing=None) for verdict in one] == two
    assert {verdict.kind for verdict in two} == {None}


@engines_only
def test_copies_that_are_not_kept_have_kinds(place: Place) -> None:
    window = place.open(kinds=True, window_hours=0, policy="drop")
    assert [
        verdict.kind for verdict in window.ingest([document("a", "Rain fell."), document("b", "Rain fell!")])
    ] == [
        None,
        "copy",
    ]


@engines_only
def test_a_copy_of_a_document_that_is_replaced_in_the_same_batch_has_its_kind(place: Place) -> None:
    """The text that it is a copy of is gone when the batch ends."""
    first, second = list(stream(3)), list(stream(4))
    # The documents of the first stream come again under other ids, each before it is replaced.
    again = [
        each
        for one, other in zip(first, second, strict=True)
        for each in (one._replace(id=f"x{one.id}"), other)
    ]
    answers = []
    for name, size in (("at once", 256), ("one by one", 1)):
        window = place.open(name, kinds=True, window_hours=0, batch_documents=size)
        list(window.ingest(first))
        answers.append((list(window.ingest(again)), list(window.groups())))
        assert window.replaced == len(second)
    assert answers[0] == answers[1]
    assert sum(verdict.kind is not None for verdict in answers[0][0]) > len(first)
