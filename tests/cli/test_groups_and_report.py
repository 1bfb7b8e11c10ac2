"""Groups as tables and files, and the page of `neardup report`: what is in them, and that hostile texts do nothing."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from pathlib import Path

import pytest
from testing.cli.markup import Tags
from testing.edited_pairs import edited_pair

import neardup

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \x1b[2J \u202e \x00 {{ 7*7 }} \"'"
TEXT = edited_pair(3).a


def record(id, text, hour, **more):
    return {"id": id, "text": text, "time": f"2026-11-21T{hour:02}:00Z", **more}


RECORDS = [
    record("a", f"{HOSTILE}\n{TEXT}", 1, source=HOSTILE), record("=1+1", f"{HOSTILE}\n{TEXT} Updated.", 2, source="B"),
    record("c", edited_pair(7).a, 3, source="A"), record("d", edited_pair(7).a, 4, source="A"),
    record("e", edited_pair(7).a + " Updated.", 23, source="B"), record("f", edited_pair(9).a, 5),
    record("g", edited_pair(9).a, 6),
]  # fmt: skip


@pytest.fixture
def window(run):
    lines = [*map(json.dumps, RECORDS), "no record"]
    Path("stream.jsonl").write_text("\n".join(lines), "utf-8")
    assert (
        run("ingest", "stream.jsonl", "--window", "w", "--format", "quiet", "--rejects", "rejects.jsonl").code
        == 1
    )
    return "w"


def test_groups_in_each_order(run, window):
    def heads(*words):
        return [line["head"] for line in run("groups", "--window", window, *words).lines]

    assert heads() == heads("--sort", "time") == ["a", "c", "f"]
    assert heads("--sort", "size") == heads("--sort", "span") == ["c", "a", "f"]
    assert heads("--min-size", "3") == heads("--sort", "size", "--limit", "1") == ["c"]
    assert heads("--kind", "form") == []
    assert heads("--since", "2026-11-21T06:00") == ["c", "f"]
    assert heads("--since", "2026-11-21T06:01", "--sort", "size") == ["c"]
    wrong = run("groups", "--window", window, "--since", "last night")
    assert (wrong.code, "last night" in wrong.err) == (2, True)
    (told,) = run("groups", "--window", window, "--min-size", "3", "--details", "--kind", "copies").lines
    assert (told["kind"], told["size"], told["origins"], told["across"], told["within"]) == (
        "copies",
        3,
        1,
        1,
        1,
    )
    assert [member["id"] for member in told["members"]] == ["d", "e"]


def test_the_time_of_a_head_that_is_gone_does_not_count_for_since(run):
    records = [record("head", TEXT, 9), record("late", TEXT, 3)]
    with neardup.open("w", window_hours=0) as window:
        assert [verdict.duplicate_of for verdict in window.ingest(records)] == [None, "head"]
        words = ("groups", "--window", "w", "--since", "2026-11-21T06:00")
        assert [line["head"] for line in run(*words).lines] == ["head"]
        window.delete("head")
        assert run(*words).lines == []


def test_a_head_that_is_gone_is_not_counted(run, window):
    run("delete", "c", "--window", window)
    words = ("groups", "--window", window, "--sort", "size")
    assert [line["head"] for line in run(*words, "--min-size", "3").lines] == []
    (told,) = [line for line in run(*words, "--details").lines if line["head"] == "c"]
    assert (told["size"], told["head_is_there"], len(told["members"])) == (2, False, 2)
    rows = csv.DictReader(io.StringIO(run(*words, "--format", "csv").out))
    assert {row["size"] for row in rows} == {"2"}
    table = run(*words, "--format", "table").out.splitlines()
    assert [row.split()[0] for row in table[1:4]] == ["2", "2", "2"]


def test_a_document_that_replaced_a_head_is_not_shown_as_the_head(run, window):
    Path("more.jsonl").write_text(
        json.dumps(record("c", "Four eggs and a cup of flour. " * 5, 5, source="Cook"))
    )
    run("ingest", "more.jsonl", "--window", window, "--format", "quiet")
    words = ("groups", "--window", window, "--sort", "size")
    assert "Four eggs" not in run(*words, "--format", "table").out
    rows = csv.DictReader(io.StringIO(run(*words, "--format", "csv").out))
    (head,) = [row for row in rows if row["id"] == row["group"] == "c"]
    assert (head["begins"], head["source"], head["of_first"]) == ("", "", "")
    run("report", "--window", window, "--output", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert "Four eggs" not in page
    assert "Cook" not in page
    assert page.count("(head: its text is no longer in the window)") == 1


@pytest.mark.parametrize("format", ["table", "csv"])
def test_details_are_refused_where_there_are_none(run, window, format):
    done = run("groups", "--window", window, "--details", "--format", format)
    assert done.code == 2
    assert "only --format jsonl has details" in done.err


def test_a_spreadsheet_computes_nothing(run, window):
    done = run("groups", "--window", window, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["id"] for row in rows] == ["a", "'=1+1", "c", "d", "e", "f", "g"]
    assert (rows[1]["group"], rows[1]["after_seconds"], rows[1]["matched"]) == ("a", "3600.0", "a")
    assert not {"\x1b", "\u202e"} & set(done.out)


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits_and_says_what_it_leaves_out(run, window, columns, monkeypatch):
    monkeypatch.setattr("neardup.cli.tables.WIDTH", columns)
    done = run("groups", "--window", window, "--format", "table", "--limit", "2", "--sort", "size")
    lines = done.out.splitlines()
    assert lines[-1].startswith("(1 group left out")
    assert max(map(len, lines[:-1])) <= columns
    assert not {"\x1b", "\u202e"} & set(done.out)


def test_a_report_is_one_harmless_file(run, window):
    done = run(
        "report", "--window", window, "--output", "r.html", "--rejects", "rejects.jsonl", "--title", HOSTILE
    )
    assert done.code == 0
    shown = Path("r.html").read_text("utf-8")
    page = Tags(shown)
    assert not page.tags & {"script", "img", "link", "iframe", "base", "form"}
    assert not [name for name in page.attributes if name.startswith("on") or name in ("href", "src")]
    assert not re.search(r"url\(|@import|https?:", shown)
    assert not {"\x1b", "\x00"} & set(shown)
    for part in ("default-src 'none'", "<b>7</b> documents", "<b>3</b> groups", "stream.jsonl:8", "Updated."):
        assert part in shown
    assert run("report", "--window", window, "--output", "r.html").code == 2
    assert run("report", "--window", window, "--output", "r.html", "--force", "--limit", "0").code == 0
    groups = Path("r.html").read_text("utf-8").rpartition("The largest groups")[2]
    assert "3 more groups" in groups
    assert "There are none" not in groups


def test_a_report_says_of_its_times_that_they_are_utc(run, window):
    run("report", "--window", window, "--output", "r.html")
    page = Path("r.html").read_text("utf-8")
    assert ", from 2026-11-21 03:00 UTC, for 20 h</span>" in page
    assert "the hours 2026.11.21-01 to 2026.11.21-23 (UTC)" in page
    assert "<tr><th>time (UTC)</th>" in page


@pytest.mark.parametrize("name", ["r.pdf", "r.docx", "r.html.gz", "r.jsonl"])
def test_a_report_is_not_called_what_it_is_not(run, window, name):
    done = run("report", "--window", window, "--output", name)
    assert done.code == 2
    assert f"{name} does not end in .html" in " ".join(done.err.replace("│", " ").split())
    assert not Path(name).exists()


def test_what_differs_is_marked_on_paper_too(run, window):
    """Browsers print no backgrounds, by which alone what was added, changed or moved is known."""
    run("report", "--window", window, "--output", "r.html")
    style = Path(neardup.__file__).parent / "serving" / "static" / "style.css"
    for sheet in (Path("r.html"), style):
        (rule,) = re.findall(r"^mark {.*?}", sheet.read_text("utf-8"), re.MULTILINE)
        assert "print-color-adjust: exact" in rule


def test_a_report_of_an_empty_window_and_of_other_rejects(run, window):
    Path("empty.jsonl").touch()
    run("ingest", "empty.jsonl", "--window", "empty", "--format", "quiet")
    assert run("report", "--window", "empty").code == 0
    assert "There are none." in Path("report.html").read_text("utf-8")
    done = run("report", "--window", window, "--output", "r.html", "--rejects", "stream.jsonl")
    assert (done.code, "is no line of --rejects" in done.err) == (2, True)
    assert not Path("r.html").exists()
    done = run("report", "--window", window, "--output", "r.html", "--rejects", "none.jsonl")
    assert done.code == 2
    assert "none.jsonl does not exist: neardup ingest --rejects writes it" in " ".join(
        done.err.replace("│", " ").split()
    )


def test_a_report_without_sources_says_which_option_names_their_field(run):
    records = [{"id": name, "text": TEXT, "agency": name} for name in "ab"]
    Path("a.jsonl").write_text("\n".join(map(json.dumps, records)))
    run("ingest", "a.jsonl", "--window", "v", "--show", "agency", "--format", "quiet")
    run("report", "--window", "v", "-o", "r.html")
    remedy = "(field source): --source-field names another of the fields that ingest --show has kept.</p>"
    assert remedy in Path("r.html").read_text()
    run("report", "--window", "v", "-o", "r.html", "--source-field", "agency", "--force")
    assert "--source-field" not in Path("r.html").read_text()


def test_a_report_scores_versions_by_the_recipe_of_the_window(run):
    records = [record("small", TEXT, 1), record("large", TEXT.upper() + " Updated.", 2)]
    Path("s.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    verdicts = run("ingest", "s.jsonl", "--window", "folded", "--fold-case").out
    score = json.loads(verdicts.splitlines()[1])["score"]
    run("report", "--window", "folded", "--output", "folded.html")
    assert f'differs <span class="dim">doc_q {score:.3f}<' in Path("folded.html").read_text("utf-8")


def test_a_group_is_called_after_its_head_in_tables_and_reports(run):
    records = [
        record("head", TEXT, 5, title="Of the head"), record("early", TEXT + " Updated.", 2, title="Of another"),
    ]  # fmt: skip
    Path("s.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    assert run("ingest", "s.jsonl", "--window", "t", "--window-hours", "0", "--format", "quiet").code == 0
    assert "Of the head" in run("groups", "--window", "t", "--format", "table").out
    run("report", "--window", "t", "--output", "t.html")
    page = Path("t.html").read_text("utf-8")
    assert "<bdi>Of the head</bdi>" in page.partition("<summary>")[2].partition("</summary>")[0]
    for said in ("<b>1</b> group<", "of them a copy<", "by their stored times"):
        assert said in page
    run("delete", "head", "--window", "t")
    assert "Of another" in run("groups", "--window", "t", "--format", "table").out


def test_a_report_and_a_list_of_groups_tell_of_copies_that_are_in_no_group(run, window):
    texts = [TEXT, TEXT[len(TEXT) // 5 :], TEXT[2 * len(TEXT) // 5 :]]
    records = [record(str(hour), text, hour) for hour, text in enumerate(texts)]
    Path("s.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    run("ingest", "s.jsonl", "--window", "chain", "--format", "quiet")
    run("report", "--window", "chain", "--output", "chain.html")
    page = Path("chain.html").read_text("utf-8")
    assert "<b>2</b> of them copies" in page
    assert "1 copy is a member of no group and not counted below: it matches members" in page
    for format in ("jsonl", "csv", "table"):
        told = run("groups", "--window", "chain", "--format", format).err
        assert (
            "1 copy is a member of no group and not listed: it matches members of groups, but no head" in told
        )
        assert "of no group" not in run("groups", "--window", window, "--format", format).err


@pytest.mark.parametrize(("policy", "count", "is_told"), [("drop", 0, True), ("route", 1, False)])
def test_a_report_says_that_the_policy_drop_stores_no_copies(run, policy, count, is_told):
    texts = [TEXT, TEXT[len(TEXT) // 5 :]]
    Path("s.jsonl").write_text(
        "\n".join(json.dumps(record(str(at), text, at)) for at, text in enumerate(texts))
    )
    run("ingest", "s.jsonl", "--window", policy, "--policy", policy, "--format", "quiet")
    run("report", "--window", policy, "--output", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert f"<b>{count}</b> of them" in page
    assert ("The policy is drop: copies are not stored" in page) is is_told


def test_one_is_told_as_one(run, window):
    Path("u.jsonl").write_text("\n".join(map(json.dumps, [*RECORDS[:2], *RECORDS[-2:]])), "utf-8")
    run("ingest", "u.jsonl", "--window", "u", "--format", "quiet")
    run("report", "--window", "u", "--output", "u.html")
    page = Path("u.html").read_text("utf-8")
    assert "For 1 copy at least one of the two sources is not known" in page
    assert not re.search(r"\b1 (documents|groups|copies|versions|texts)\b", re.sub("<[^>]+>", "", page))


def test_groups_go_to_a_file_that_is_not_overwritten_unasked(run, window):
    for form in ("csv", "jsonl"):
        words = ("groups", "--window", "w", "--format", form)
        shown = run(*words).out
        assert run(*words, "--output", f"g.{form}").out == ""
        written = Path(f"g.{form}").read_bytes()
        assert written.startswith(codecs.BOM_UTF8) is (form == "csv")  # by which Excel knows UTF-8
        assert written.decode("utf-8-sig").splitlines() == shown.splitlines()
        again = run(*words, "--output", f"g.{form}")
        assert (again.code, "exists: --force replaces it" in again.err) == (2, True)
        assert run(*words, "--output", f"g.{form}", "--force").code == 0
    assert run("groups", "--window", "w", "--format", "table", "--output", "t").code == 2


def test_long_sources_and_ids_are_cut_in_a_report(run):
    """They come from outside, and a source stands in each row of its documents."""
    long = "Daily " * 20_000
    records = [
        record("a", TEXT, 1, source=long),
        record("b", f"{TEXT} Updated.", 2, source=long),
        record(long, TEXT, 3),
        {"id": "c", long: 1},
    ]
    Path("long.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    assert run("ingest", "long.jsonl", "--window", "w", "--output", "v", "--rejects", "rejects").code == 1
    assert run("report", "--window", "w", "--rejects", "rejects").code == 0
    page = Path("report.html").read_text("utf-8")
    assert f"<bdi>{long[:199]}…</bdi>" in page
    assert long[:2_000] not in page


def test_names_of_sources_do_not_turn_what_is_beside_them(run, window):
    run("report", "--window", window, "--output", "r.html")
    assert "<bdi>" in Path("r.html").read_text("utf-8")


def test_texts_that_are_read_from_right_to_left_are_shown_so(run):
    first = "המעבורת עלתה על שרטון לפני עלות השחר ביום שישי, ואיש לא נפגע. בצהריים משכו אותה שתי גוררות."
    other = first.replace("שישי", "שבת")
    Path("s.jsonl").write_text(
        "\n".join(map(json.dumps, [record("a", first, 1), record("b", other, 2)])), "utf-8"
    )
    run("ingest", "s.jsonl", "--window", "w", "--format", "quiet")
    run("report", "--window", "w", "--output", "report.html")
    run("explain", "a", "b", "--window", "w", "--format", "html", "--output", "why.html")
    for name, boxes in (("report.html", 2), ("why.html", 3)):
        page = Path(name).read_text("utf-8")
        tags = re.findall(r"<(?:p|div|td|li)\b[^>]*>(?=[^<]*[א-ת])", page)
        assert sum('class="text"' in tag for tag in tags) == boxes
        assert [tag for tag in tags if 'dir="auto"' not in tag] == []
