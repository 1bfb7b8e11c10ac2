"""A window that is signed again answers as one that was made today from the same documents."""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from testing.window.backends import document, grams
from testing.window.old_window import as_format_1

from neardup.errors import (
    RecipeMismatch,
    SettingsError,
    WindowDamaged,
    WindowError,
    WindowLocked,
    WindowMissing,
    WindowOutdated,
    WindowResigning,
)
from neardup.model.settings import Recipe
from neardup.opening import open_window
from neardup.signing.lexicon_sample import lexicon_of
from neardup.signing.signer import signer_for
from neardup.stores.hour_files import HourFiles
from neardup.tables.lexicon import Lexicon, LexiconBuilder
from neardup.window.directory_resign import resign_directory

SENTENCE = "{} is what the harbour master told the newspaper of the town on the evening before the storm."
PARTS = "".join(SENTENCE.format(name) for name in ("A ferry", "An old crane", "Two tugs", "The pier"))
STREAM = [
    *(document(f"d{i}", grams(40 * i, 40 * i + 25), i // 4) for i in range(9)),
    document("near", grams(2, 27), 1),
    document("same", grams(0, 25), 2),
    document("empty", "", 2),
    document("short", "abc", 2),
    document("long", PARTS + grams(5_000, 6_500), 2),
    document("in part", PARTS[:200] + grams(7_000, 8_000), 2),
    document("far", grams(4, 60), 2),
]
NEXT = [
    document("n1", grams(1, 26), 2),
    document("n2", grams(5_000, 6_400) + PARTS, 2),
    document("n3", PARTS[100:] + grams(9_000, 10_000), 3),
    document("n4", "ABC", 3),
    document("n5", "abc", 3),
    document("n6", grams(330, 350), 3),
    document("n7", "", 3),
]
KINDS: dict[str, dict[str, Any]] = {
    "sketch": {},
    "low": {"threshold": 0.5},
    "complete": {"retrieval": "complete"},
    "partial": {"partial": True},
    "routes": {"routes": ("sentences", "simhash"), "policy": "route"},
    "hours": {"window_hours": 1, "keep_hours": 2},
}


def resigned(path, **changes):
    return resign_directory(path, None, changes, dry_run=False)


def made(path, **settings):
    with open_window(path, **{"window_hours": 0} | settings) as window:
        list(window.ingest(STREAM))
        window.delete("d3")
    return path


def answers(path):
    """All that a window says of what it holds, and of what comes next."""
    with open_window(path) as window:
        told = window.stats(), list(window.groups())
        asked = [window.query(text=grams(2, 26)), window.query(text=PARTS), window.query(id="near")]
        return replace(told[0], memory_bytes=0, recipe=""), told[1], asked, list(window.ingest(NEXT))


@pytest.fixture
def path(tmp_path):
    return made(tmp_path / "window")


@pytest.fixture
def old(path):
    as_format_1(path)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_a_window_of_format_1_becomes_one_of_today(tmp_path, kind):
    today = made(tmp_path / "today", **KINDS[kind])
    old = Path(shutil.copytree(today, tmp_path / "old"))
    as_format_1(old)
    done = resigned(old)
    assert (done.old_format, done.is_needed, done.aside) == (1, True, old / "old-1")
    assert done.old_recipe.startswith("neardup-1:")
    assert {entry.name for entry in old.iterdir()} >= {"old-1", "window.json", "hours", "commit"}
    assert not [entry for entry in old.iterdir() if entry.name.startswith("resign")]
    assert json.loads((old / "window.json").read_text()) == json.loads((today / "window.json").read_text())
    assert answers(old) == answers(today)


@pytest.mark.parametrize("threshold", [0.3, 0.95])
def test_a_window_that_was_reconciled(path, tmp_path, threshold):
    with open_window(path, threshold=threshold) as window:
        assert list(window.reconcile())  # their rows are of newer versions than those behind them
    today = Path(shutil.copytree(path, tmp_path / "today"))
    resigned(path, reach=0.5)
    with open_window(path) as window, open_window(today) as other:
        assert list(window.groups()) == list(other.groups())
        assert not list(window.reconcile())


def test_without_force_nothing_is_changed(old):
    before = {file: file.read_bytes() for file in sorted(old.rglob("*")) if file.is_file()}
    plan = resign_directory(old, None, {}, dry_run=True)
    assert (plan.documents, plan.hours, plan.aside) == (len(STREAM) - 1, 3, None)
    assert plan.is_needed
    assert plan.bytes > 0 < plan.seconds
    after = {file: file.read_bytes() for file in sorted(old.rglob("*")) if file.is_file()}
    assert {**after, old / "lock": b""} == {**before, old / "lock": b""}


def test_a_window_of_today_is_left_alone(path):
    done = resigned(path)
    assert not done.is_needed
    assert not (path / "old-1").exists()


def test_another_recipe_of_today_is_signed_by_and_signed_back(tmp_path, path):
    expected = answers(Path(shutil.copytree(path, tmp_path / "same")))
    secret = tmp_path / "secret"
    secret.write_bytes(b"who knows")
    done = resigned(path, salt=secret)
    assert ":salt-" in done.recipe
    assert (path / "window.salt").stat().st_mode & 0o077 == 0
    with pytest.raises(RecipeMismatch, match="neardup resign --window"):
        open_window(path, recipe=Recipe())
    salted = answers(Path(shutil.copytree(path, tmp_path / "salted")))
    assert salted[0].postings_keys > 0
    assert (replace(salted[0], postings_keys=expected[0].postings_keys), *salted[1:]) == expected
    assert resigned(path).is_needed is False
    done = resign_directory(path, Recipe(), {}, dry_run=False)
    assert done.aside == path / "old-2"
    assert not (path / "window.salt").exists()
    assert answers(path) == expected


def test_what_was_deleted_is_in_the_old_files_alone(path):
    """docs/security.md, Erasing."""
    form = "".join(filter(str.isalnum, STREAM[3].text)).encode()

    def holders():
        return [file for file in path.rglob("*.bin") if form in file.read_bytes()]

    assert holders()
    done = resigned(path, reach=0.5)
    assert done.aside is not None
    shutil.rmtree(done.aside)
    assert not holders()


def test_another_reach_is_that_of_the_recipe(path):
    assert ":sketch-32-0.5:" in resigned(path, reach=0.5).recipe
    assert not resigned(path).is_needed  # what a window reaches is not taken from it unasked
    assert ":sketch-32-0.6:" in resigned(path, reach=0.6).recipe


def test_a_lost_salt_can_be_replaced(tmp_path, path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"who knows")
    resigned(path, salt=secret)
    (path / "window.salt").unlink()
    with pytest.raises(WindowDamaged, match="--salt"):
        resigned(path)
    secret.write_bytes(b"who else")
    resigned(path, salt=secret)
    assert len(answers(path)[3]) == len(NEXT)


def test_a_lost_salt_is_put_back_where_it_is_given(tmp_path, path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"who knows")
    resigned(path, salt=secret)
    expected = answers(Path(shutil.copytree(path, tmp_path / "same")))
    own = [path / "window.salt", path / "window.salt.copy"]
    own[0].unlink()
    own[1].write_bytes(b"who else")
    plan = resign_directory(path, None, {"salt": secret}, dry_run=True)
    assert (plan.is_needed, plan.lost_salts) == (False, ["window.salt", "window.salt.copy"])
    assert not own[0].exists()
    done = resigned(path, salt=secret)
    assert (done.is_needed, done.aside) == (False, None)
    assert [(file.read_bytes(), file.stat().st_mode & 0o777) for file in own] == [(b"who knows", 0o600)] * 2
    assert resigned(path, salt=secret).lost_salts == []
    assert answers(path) == expected


def test_another_secret_in_the_place_of_the_salt_is_not_signed_by(tmp_path, path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"who knows")
    resigned(path, salt=secret)
    for other in (b"who else", b""):
        (path / "window.salt").write_bytes(other)
        with pytest.raises(WindowDamaged, match=r"another secret.*doctor --repair"):
            resigned(path)


@pytest.mark.parametrize("change", [{"q": 5}, {"fold_case": True}, {"simhash_variants": 2}])
def test_what_normal_forms_cannot_be_signed_by_is_refused(old, change):
    with pytest.raises(SettingsError, match="normal forms"):
        resign_directory(old, Recipe(**change), {}, dry_run=False)
    with pytest.raises(WindowOutdated):
        open_window(old)


def test_a_writer_is_waited_for_by_nobody(path):
    with open_window(path), pytest.raises(WindowLocked):
        resign_directory(path, None, {}, dry_run=True)


def test_no_window_and_no_new_files(tmp_path):
    with pytest.raises(WindowMissing):
        resigned(tmp_path)
    with pytest.raises(WindowMissing):
        resigned(tmp_path / "nothing")
    assert not list(tmp_path.iterdir())


def test_a_reader_is_told(tmp_path, path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"who knows")
    with open_window(path) as window:
        window.delete("d0")  # so that what came after it will lie elsewhere
    with open_window(path, readonly=True) as reader:
        resigned(path, salt=secret)
        with pytest.raises(WindowResigning, match=":salt-"):
            reader.query(text=grams(41, 66))
    with open_window(path, readonly=True) as reader:
        assert reader.query(text=grams(40, 65)).matches[0].score == 1


def test_a_full_disk_leaves_the_window_as_it_was(old, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(HourFiles, "flush", full)
    with pytest.raises(OSError, match="No space"):
        resigned(old)
    assert not (old / "resign.draft").exists()
    monkeypatch.undo()
    assert resigned(old).is_needed


def test_a_run_that_is_interrupted_leaves_no_part_of_a_window(old, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(HourFiles, "flush", interrupted)
    with pytest.raises(KeyboardInterrupt):
        resigned(old)
    assert not (old / "resign.draft").exists()
    monkeypatch.undo()
    assert resigned(old).is_needed


def test_a_lexicon_stays_with_its_sentences(tmp_path):
    file = tmp_path / "own.lexicon"
    builder = LexiconBuilder(4, fold_case=False, name="own")
    builder.add(*signer_for(Recipe()).lexicon_keys(PARTS.encode()))
    builder.build().save(file)
    with pytest.raises(SettingsError, match="sentences and simhashes"):
        resigned(made(tmp_path / "partial", partial=True), lexicon=file)
    path = made(tmp_path / "own", recipe=Recipe(lexicon=file), partial=True)
    expected = answers(Path(shutil.copytree(path, tmp_path / "same")))
    as_format_1(path)
    assert f":lex-{Lexicon.load(file).id}:" in resigned(path).recipe
    assert (path / "window.lexicon.copy").read_bytes() == file.read_bytes()
    assert answers(path) == expected


def test_a_lost_lexicon_of_its_own_is_damage_that_a_copy_mends(tmp_path, path):
    file = tmp_path / "own.lexicon"
    lexicon_of([PARTS], name="own").save(file)
    resigned(path, lexicon=file)
    (path / "window.lexicon").write_bytes(b"rotten")
    with pytest.raises(WindowDamaged, match=r"window\.lexicon is damaged.*doctor --repair --window"):
        resigned(path, reach=0.5)
    (path / "window.lexicon").unlink()
    with pytest.raises(WindowDamaged, match=r"no such file.*doctor --repair --window"):
        resigned(path, reach=0.5)
    (path / "window.lexicon.copy").unlink()
    with pytest.raises(WindowDamaged, match=r"no such file, expected the window's own lexicon$"):
        resigned(path, reach=0.5)


class Killed(BaseException):
    pass


def killed_at(monkeypatch, owner, name, nth):
    """The `nth` call of a method ends the process instead."""
    calls, real = itertools.count(), getattr(owner, name)

    def call(*arguments, **more):
        if next(calls) == nth:
            raise Killed
        return real(*arguments, **more)

    monkeypatch.setattr(owner, name, call)


@pytest.mark.parametrize(
    ("owner", "name"), [(Path, "rename"), (HourFiles, "flush"), (Path, "mkdir"), (Path, "rmdir")]
)
def test_a_run_that_was_ended_is_finished_by_the_next(tmp_path, path, owner, name):
    expected = answers(Path(shutil.copytree(path, tmp_path / "same")))
    as_format_1(path)
    for nth in range(40):
        again = Path(shutil.copytree(path, tmp_path / str(nth)))
        with pytest.MonkeyPatch.context() as patch:
            killed_at(patch, owner, name, nth)
            ended = True
            with contextlib.suppress(Killed):
                ended = resigned(again) is None
            if not ended:
                break
        with pytest.raises(WindowError, match="neardup resign"):
            open_window(again)
        done = resigned(again)
        assert done.documents == len(STREAM) - 1
        assert (again / "old-1").is_dir()
        assert not (again / "old-2").exists()
        assert answers(again) == expected
    assert nth > 0


def test_the_next_writer_deletes_the_draft_of_a_run_that_was_killed(tmp_path):
    path, draft = tmp_path / "w", tmp_path / "w" / "resign.draft"
    open_window(path).close()
    (draft / "hours").mkdir(parents=True)
    open_window(path, readonly=True).close()
    assert draft.exists()
    open_window(path).close()
    assert not draft.exists()
