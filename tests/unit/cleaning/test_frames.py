"""Texts are taken from what Python holds them in, and given back in it; what would be misread is refused."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from typing import Any
from unittest import mock

import pytest

import neardup
from neardup.cleaning.frames import held
from neardup.errors import SettingsError
from neardup.model.plain_values import is_missing

FERRY = "The ferry ran aground off the western spit at dawn."
TEXTS = [FERRY, "Rain is due in the north.", FERRY.replace("dawn", "dusk"), None]


def column(frame: Any, name: str) -> list[Any]:
    """The values, None where there is none."""
    if isinstance(frame, list):
        return [row[name] for row in frame]
    values = frame[name]
    plain = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    return [None if is_missing(value) else value for value in plain]


def check(data: Any, **options: Any) -> Any:
    """The frame with the columns, which are as they should be; `data` has TEXTS."""
    result = neardup.dedup(data, **options)
    assert (result.kept, result.removed) == ([0, 1], [2])
    assert [position for position, _ in result.rejected] == [3]
    frame = result.frame()
    group = column(frame, "group")
    assert group[:3] == [0, 1, 0]
    assert column(frame, "score")[2] == pytest.approx(0.921, abs=0.001)
    return frame


def test_lists_and_iterables():
    assert check(TEXTS)[0] == {"text": FERRY, "duplicate_of": None, "score": None, "group": 0}
    assert check(tuple(TEXTS)) == check(iter(TEXTS))
    check(neardup.Document(str(at), text) for at, text in enumerate(TEXTS))  # type: ignore[arg-type]


def test_records_keep_their_fields_and_their_text_may_lie_deeper():
    frame = check([{"page": {"body": text}, "n": at} for at, text in enumerate(TEXTS)], text="page.body")
    assert frame[2]["n"] == 2
    assert frame[2]["page"]["body"] == TEXTS[2]


def changed_pandas(data: Any) -> None:
    data.sort_values("text", inplace=True)
    data.reset_index(drop=True, inplace=True)
    data.loc[len(data)] = "More rain."
    data["score"] = 1
    data.rename(columns={"text": "body"}, inplace=True)


def changed_series(data: Any) -> None:
    data.sort_values(inplace=True)
    data.loc["z"] = "More rain."
    data.name = "body"


def changed_polars(data: Any) -> None:
    data[0, "text"] = data[1, "text"]
    data.extend(data.clear(1))
    data.columns = ["body"]


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, which deprecates it
def test_a_frame_that_is_changed_in_place_later_does_not_change_the_result():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    numpy = pytest.importorskip("numpy")
    cases: list[tuple[Any, Any]] = [
        (pandas.DataFrame({"text": TEXTS}, index=list("dcba")), changed_pandas),
        (pandas.Series(TEXTS, list("dcba"), name="text"), changed_series),
        (polars.DataFrame({"text": TEXTS}), changed_polars),
        (polars.Series("text", TEXTS), lambda data: data.append(data)),
        (polars.Series("text", TEXTS), lambda data: data.sort(in_place=True)),
        (numpy.array(TEXTS, object), lambda data: data.put([0, 1, 2, 3], TEXTS[::-1])),
        ([*TEXTS], list.reverse),
        ([*TEXTS], lambda data: data.append("More rain.")),
        (deque(TEXTS), lambda data: data.rotate(1)),
    ]
    for data, change in cases:
        expected = neardup.dedup(data).frame()
        result = neardup.dedup(data)
        change(data)
        frame = result.frame()
        assert type(frame) is type(expected)
        assert getattr(frame, "equals", frame.__eq__)(expected), (type(data), frame)
        assert list(column(frame, "text")) == TEXTS


@pytest.mark.parametrize(("version", "deep"), [("2.2.3", True), ("3.0.0", False), ("10.1", False)])
def test_a_frame_of_pandas_is_copied_where_a_change_in_place_would_reach_it(monkeypatch, version, deep):
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr(pandas, "__version__", version)
    frame = pandas.DataFrame({"text": ["a", "b"]})
    with mock.patch.object(
        pandas.DataFrame, "copy", autospec=True, side_effect=pandas.DataFrame.copy
    ) as copied:
        assert held(frame).equals(frame)
    assert copied.call_args.kwargs == {"deep": deep}


def test_texts_are_not_copied_to_be_held():
    pandas, numpy = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    objects = numpy.array(TEXTS, object)
    series = pandas.Series(objects, dtype=object)
    for data in (TEXTS, series.to_frame("text"), series, objects):
        kept = neardup.dedup(data).data
        assert kept is not data
        texts = kept["text"] if hasattr(kept, "columns") else kept
        assert next(iter(texts)) is TEXTS[0]
    assert neardup.dedup(texts := tuple(TEXTS)).data is texts


def test_pandas():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"body": TEXTS, "n": range(4)}, index=list("abcd"))
    frame = check(data, text="body")
    assert list(frame.index) == list("abcd")
    assert list(data.columns) == ["body", "n"]
    assert frame["duplicate_of"].dtype == frame["group"].dtype == "Int64"
    assert list(data.iloc[neardup.dedup(data, text="body").kept].index) == ["a", "b"]
    assert list(check(data["body"]).columns) == ["body", "duplicate_of", "score", "group"]
    check(pandas.Series(TEXTS, dtype="string"))  # its missing values are NA, which has no truth
    two = pandas.DataFrame([["a", "b"]], columns=["text", "text"])
    with pytest.raises(SettingsError, match="it must be one column of the frame"):
        neardup.dedup(two)


def test_results_are_compared_by_what_was_found():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"text": TEXTS})
    result = neardup.dedup(data)
    assert result == neardup.dedup(data.copy()) == neardup.dedup(TEXTS) == pickle.loads(pickle.dumps(result))
    assert result != neardup.dedup(TEXTS, threshold=0.8)
    assert result != neardup.dedup(TEXTS[:3])
    assert result != TEXTS


def test_an_index_of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = neardup.dedup(pandas.Index(TEXTS[:3])).frame()
    assert list(frame.columns) == ["text", "duplicate_of", "score", "group"]


def test_polars():
    polars = pytest.importorskip("polars")
    data = polars.DataFrame({"text": TEXTS})
    assert isinstance(check(data), polars.DataFrame)
    check(polars.Series("text", TEXTS))
    with pytest.raises(TypeError, match=r"not LazyFrame: collect\(\) it first"):
        neardup.dedup(data.lazy())


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_texts_in_records_of_a_column_are_read(library):
    library = pytest.importorskip(library)
    make = library.table if hasattr(library, "table") else library.DataFrame
    pages = [{"body": text, "of": {"site": site}} for text, site in zip(TEXTS, "abcd", strict=True)]
    frame = check(make({"page": pages, "n": [1, 2, 3, 4]}), text="page.body")
    assert column(frame, "page")[:3] == pages[:3]
    missing = make({"page": [*pages[:3], None]})
    assert neardup.dedup(missing, text="page.body", keep="source:c", source="page.of.site").removed == [0]
    assert neardup.dedup(missing, text="page.title").kept == []  # as with a list of such records
    assert neardup.dedup(make({"page": pages[:1]})[:0], text="page.body").kept == []
    for data in (make({"page": ["no record"]}), make({"n": [1]})):
        with pytest.raises(SettingsError, match=r"text is 'page.body': it must be a column of the frame"):
            neardup.dedup(data, text="page.body")
    whole = make({"page": [None], "page.body": [FERRY]})
    assert neardup.dedup(whole, text="page.body").kept == [0]


def test_what_arrow_cannot_read_is_not_taken_for_a_format_of_a_data_set():
    arrow = pytest.importorskip("pyarrow")
    nested = arrow.struct([("at", arrow.timestamp("s", "Mars/Base"))])
    with pytest.raises(LookupError, match="Mars/Base"):
        neardup.dedup(arrow.table({"text": arrow.array([{"at": 1}], nested)}))


def test_arrow():
    arrow = pytest.importorskip("pyarrow")
    data = arrow.table({"text": TEXTS})
    assert isinstance(check(data), arrow.Table)
    assert data.take(neardup.dedup(data).kept).num_rows == 2
    check(arrow.record_batch({"text": TEXTS}))
    check(arrow.array(TEXTS))
    with pytest.raises(TypeError, match=r"not RecordBatchReader: read_all\(\) it first"):
        neardup.dedup(data.to_reader())
    for batches in (data.to_batches(), iter(data.to_batches())):
        with pytest.raises(TypeError, match="not list: combine several frames into one"):
            neardup.dedup(batches)
    check(arrow.chunked_array([TEXTS[:2], TEXTS[2:]]))


def test_numpy():
    numpy = pytest.importorskip("numpy")
    check(numpy.array(TEXTS, object))
    assert neardup.dedup(numpy.array(TEXTS[:3])).removed == [2]


def test_data_sets():
    datasets = pytest.importorskip("datasets")
    arrow = pytest.importorskip("pyarrow")
    data = datasets.Dataset(datasets.table.InMemoryTable(arrow.table({"text": TEXTS})), fingerprint="texts")
    assert isinstance(check(data), datasets.Dataset)
    none = neardup.dedup(data.select([1])).frame().features
    assert [none[name].dtype for name in ("duplicate_of", "score", "group")] == ["int64", "float64", "int64"]
    assert neardup.dedup(data["text"]).kept == [0, 1]
    assert len(data.select(neardup.dedup(data).kept)) == 2
    with pytest.raises(TypeError, match="choose one of several splits"):
        neardup.dedup(datasets.DatasetDict(train=data))
    assert neardup.dedup(data.to_iterable_dataset()).frame()[2]["duplicate_of"] == 0
    with pytest.raises(SettingsError, match=r"pass data.with_format\(None\)"):
        neardup.dedup(data.with_format("numpy", columns=[]))


def test_a_stream_of_records_that_may_name_their_fields_is_read_to_its_end():
    """As `datasets` streams them: the names are None until they are known."""

    class Stream:
        column_names = None

        def __iter__(self):
            return iter([{"text": text} for text in TEXTS])

    assert check(Stream())[0] == {"text": FERRY, "duplicate_of": None, "score": None, "group": 0}


@pytest.mark.parametrize(
    ("data", "remedy"),
    [
        (FERRY, "put a single text into a list"),
        (b"x", "put a single text into a list"),
        ({"text": FERRY}, "put a single record into a list"),
        (neardup.Document("a", FERRY), "put a single document into a list"),
        (7, "such as a list"),
        (None, "such as a list"),
    ],
)
def test_what_holds_no_texts_is_refused(data, remedy):
    with pytest.raises(TypeError, match=f"dedup takes many texts, not {type(data).__name__}: .*{remedy}"):
        neardup.dedup(data)


def test_a_relation_of_duckdb_is_refused_with_what_to_pass():
    class DuckDBPyRelation(Sequence[Any]):
        columns = ("text",)

        def __len__(self) -> int:
            return 1

        def __getitem__(self, name: Any) -> Any:
            raise TypeError(f"a relation is indexed by one column name, not by {type(name).__name__}")

        def to_arrow_table(self) -> None: ...

    for texts, against in ((DuckDBPyRelation(), None), (TEXTS[:1], DuckDBPyRelation())):
        with pytest.raises(
            TypeError, match=r"not DuckDBPyRelation: pass the table that its to_arrow_table\(\)"
        ):
            neardup.dedup(texts, against=against)


def test_what_pandas_offers_for_the_strings_of_a_column_is_no_column():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"not StringMethods: such as .* a data frame, one column of it"):
        neardup.dedup(pandas.Series(TEXTS[:1]).str)


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:2], TEXTS[3:]], ids=["copies", "no copies", "no texts"])
def test_columns_are_of_the_same_types_whatever_was_found(texts):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    names = ["duplicate_of", "score", "group"]
    frame = neardup.dedup(pandas.DataFrame({"text": texts})).frame()
    assert [str(frame[name].dtype) for name in names] == ["Int64", "Float64", "Int64"]
    frame = neardup.dedup(polars.DataFrame({"text": texts}, schema={"text": polars.String})).frame()
    assert [str(frame[name].dtype) for name in names] == ["Int64", "Float64", "Int64"]
    table = arrow.table({"text": arrow.array(texts, arrow.string())})
    assert [str(neardup.dedup(table).frame()[name].type) for name in names] == ["int64", "double", "int64"]


@pytest.mark.parametrize("data", [TEXTS, [{"text": FERRY}]], ids=["texts", "records"])
def test_what_is_no_name_of_a_field_is_refused(data):
    for name in (None, 1, b"text", ["text"]):
        cases: list[dict[str, Any]] = [
            {"text": name}, {"source": name, "keep": "source:a"}, {"time": name, "keep": "earliest"}
        ]  # fmt: skip
        for options in cases:
            with pytest.raises(
                SettingsError, match=f"setting {next(iter(options))} is .* the name of a field"
            ):
                neardup.dedup(data, **options)


def test_columns_that_are_not_there_or_there_already_are_named():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"body": TEXTS, "score": range(4)})
    with pytest.raises(
        SettingsError, match=r"text is 'text': .* a column of the frame \(columns: body, score\)"
    ):
        neardup.dedup(data)
    with pytest.raises(SettingsError, match="setting source is 'source'"):
        neardup.dedup(data, text="body", keep="source:a")
    cases: list[tuple[str, dict[str, Any]]] = [("text", {}), ("source", {"text": "body", "keep": "source:a"})]
    for setting, options in cases:
        with pytest.raises(
            SettingsError, match=rf"{setting} is .* a record has \(fields of the first: body, n\)"
        ):
            neardup.dedup([{"body": FERRY, "n": 1}, {"body": None}], **options)
    result = neardup.dedup(data, text="body")
    way_out = r"as in frame\(prefix='neardup_'\): the data has 'score' already"
    with pytest.raises(SettingsError, match=f"setting prefix is '': .* {way_out}"):
        result.frame()
    with pytest.raises(SettingsError, match=r"setting prefix is 'n_': .* has 'n_score' already"):
        neardup.dedup(data.assign(n_score=1), text="body").frame("n_")
    assert "near_score" in result.frame(prefix="near_").columns
    assert neardup.dedup([{"text": None}]).rejected == ((0, "no text: 'text' is missing"),)
    with pytest.raises(SettingsError, match="has 'group' already"):
        neardup.dedup([{"text": FERRY, "group": 1}]).frame()


def test_a_reason_names_a_column_or_a_field_only_if_there_is_one(caplog):
    pandas = pytest.importorskip("pandas")
    named, unnamed = "no text: 'body' is missing", "no text: the value is missing"
    frame = pandas.DataFrame({"body": [None, FERRY]})
    cases = [
        (frame, named),
        ([{"body": None}, {"body": FERRY}], named),
        (frame["body"], unnamed),
        ([None, FERRY], unnamed),
        ([float("nan"), {"body": FERRY}], unnamed),
    ]
    for data, reason in cases:
        assert neardup.dedup(data, text="body").rejected == ((0, reason),)
        caplog.clear()
        neardup.dedup([{"body": FERRY}], text="body", against=data)
        assert f"1 of 2 texts of `against` rejected, the first at position 0: {reason}" in caplog.text


def test_a_frame_says_which_text_of_against_a_row_is_a_copy_of():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"text": TEXTS})
    frame = neardup.dedup(data, against=["Snow.", TEXTS[1], None]).frame(prefix="n_")
    assert [column(frame, f"n_{name}") for name in ("duplicate_of_against", "duplicate_of", "group")] == [
        [None, 1, None, None],
        [None, None, 0, None],
        [0, None, 0, None],
    ]
    assert frame["n_duplicate_of_against"].dtype == "Int64"
    # The columns depend on the call alone, and not on how many texts there are to be compared with.
    assert column(neardup.dedup(TEXTS, against=[]).frame(), "duplicate_of_against") == [None] * 4
    assert "duplicate_of_against" not in neardup.dedup(data).frame()


def test_scalars_of_arrow_are_rejected_with_what_makes_texts_of_them():
    arrow = pytest.importorskip("pyarrow")
    result = neardup.dedup([arrow.scalar(FERRY)])
    assert result.rejected == ((0, "the value is StringScalar, not a string: call as_py()"),)


def test_strings_of_arrow_that_are_no_utf_8_are_rejected_alone():
    arrow = pytest.importorskip("pyarrow")
    data = arrow.array([text and text.encode() for text in (*TEXTS[:3], None)] + [b"caf\xe9"])
    texts = arrow.Array.from_buffers(arrow.string(), len(data), data.buffers())
    for column in (texts, arrow.chunked_array([texts]), texts.dictionary_encode()):
        result = neardup.dedup(arrow.table({"text": column}))
        assert (result.kept, result.removed) == ([0, 1], [2])
        assert result.rejected == (
            (3, "no text: 'text' is missing"),
            (4, "'text' is bytes, not a string: decode it"),
        )
        assert result.frame().num_rows == 5


@pytest.mark.parametrize(("name", "column"), [(0, 0), ("body", "body"), (None, "text"), ("", "text")])
def test_a_column_keeps_its_name(name, column):
    pandas = pytest.importorskip("pandas")
    assert neardup.dedup(pandas.Series([FERRY], name=name)).frame().columns[0] == column


def test_rows_as_tuples_are_rejected_with_what_to_pass():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": ["a"], "text": [FERRY]})
    for rows in (frame.itertuples(), [("a", FERRY)]):
        ((_, reason),) = neardup.dedup(rows).rejected
        assert reason.endswith("not a string: pass a data frame as it is, other rows as mappings")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_groups_of_rows_are_refused_with_what_to_pass(library):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"body": [FERRY], "n": [1]})
    if library == "pandas":
        grouped = [frame.groupby("n"), frame.groupby("n")["body"], frame.rolling(1)]
    else:
        grouped = [frame.group_by("n"), frame.lazy().group_by("n")]
    for data in grouped:
        with pytest.raises(
            TypeError, match=rf"not {type(data).__name__}: .* pass the frame that they come from"
        ):
            neardup.dedup(data, text="body")


WITHOUT_PANDAS = """
import sys
class NoPandas:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'")
sys.meta_path.insert(0, NoPandas())
import neardup, pyarrow
times = pyarrow.array([1_700_000_000_000_000_789, 1_600_000_000_000_000_789, None], pyarrow.timestamp("ns", "UTC"))
table = pyarrow.table({"text": ["Rain on the hills."] * 3, "time": times})
assert neardup.dedup(table, keep="earliest").kept == [1]
"""


def test_times_of_arrow_in_nanoseconds_need_no_pandas():
    pytest.importorskip("pyarrow")
    done = subprocess.run([sys.executable, "-c", WITHOUT_PANDAS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("1 of 3 texts have no time")) == (0, 1), done.stderr


@pytest.mark.parametrize("zone", [None, "UTC", "Mars/Base"])
def test_times_of_arrow_that_python_does_not_hold_are_told_as_any_others(zone, caplog):
    """Beyond the year 9999, or in a time zone that nobody knows, in which a moment is one of UTC all the same."""
    arrow = pytest.importorskip("pyarrow")
    times = arrow.array([10**12, 20, 10, None], arrow.timestamp("s", zone))
    table = arrow.table({"text": ["Rain on the hills."] * 4, "time": times})
    assert neardup.dedup(table, keep="earliest").kept == [2]
    assert "33658-09-27T01:46:40') is outside the years 1 to 9999 in UTC" in caplog.text


def test_a_time_of_polars_beyond_the_year_9999_is_told_as_any_other(caplog):
    polars = pytest.importorskip("polars")
    times = polars.Series([10**15, 20, 10, None], dtype=polars.Datetime("ms"))
    frame = polars.DataFrame({"text": ["Rain on the hills."] * 4, "time": times})
    assert neardup.dedup(frame, keep="earliest").kept == [2]
    assert "33658-09-27T01:46:40.000') is outside the years 1 to 9999 in UTC" in caplog.text


def test_texts_before_that_have_another_name_are_told_how_to_be_passed():
    pandas = pytest.importorskip("pandas")
    data, before = pandas.DataFrame({"body": [FERRY]}), pandas.DataFrame({"content": [FERRY]})
    expected = r"text is 'body': .*\(columns: content\), in `against`, too; .* alone, such as against=frame"
    with pytest.raises(SettingsError, match=expected):
        neardup.dedup(data, text="body", against=before)
    assert neardup.dedup(data, text="body", against=before["content"]).kept == []
