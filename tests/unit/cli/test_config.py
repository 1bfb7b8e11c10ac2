from __future__ import annotations

import re
from pathlib import Path

import pytest

from neardup.cli import config
from neardup.cli.cluster import by_fields_of_window
from neardup.elastic.admin.managed_objects import WindowConfig
from neardup.elastic.http.address import Credentials
from neardup.elastic.window.state_document import StateDocument
from neardup.errors import ConfigError, SettingsError
from neardup.model.settings import Recipe, Settings
from neardup.signing.signer import signer_for
from neardup.sources.fields import Fields


def load(tmp_path: Path, text: str = "", **environ: str) -> config.Config:
    path = tmp_path / "neardup.toml"
    path.write_text(text)
    return config.load(path, environ)


def test_no_file_and_no_environment_are_the_defaults(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert config.load() == config.Config()


def test_the_file_of_the_working_directory_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "neardup.toml").write_text("threshold = 0.9\n")
    found = config.load()
    assert (found.settings.threshold, found.path) == (0.9, Path("neardup.toml"))


def test_a_file_of_the_working_directory_that_cannot_be_read_is_not_passed_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "neardup.toml").symlink_to("elsewhere.toml")
    with pytest.raises(FileNotFoundError):
        config.load()
    (tmp_path / "elsewhere.toml").mkdir()
    with pytest.raises(IsADirectoryError):
        config.load()


def test_every_key_arrives(tmp_path):
    found = load(
        tmp_path,
        """
        window = "news.window"
        threshold = 0.8
        retrieval = "complete"
        policy = "drop"
        matches = 3
        window_hours = 48
        routes = ["sentences"]
        fsync = true
        [recipe]
        q = 5
        fold_case = true
        [fields]
        text = "body"
        time = ["published", "crawled"]
        """,
    )
    assert found.window == "news.window"
    assert set(found.given) == {
        "threshold",
        "retrieval",
        "policy",
        "matches",
        "window_hours",
        "routes",
        "fsync",
        "recipe",
    }
    assert found.settings == Settings(
        threshold=0.8,
        retrieval="complete",
        policy="drop",
        matches=3,
        window_hours=48,
        routes=("sentences",),
        fsync=True,
        recipe=Recipe(q=5, fold_case=True),
    )
    assert found.fields == Fields(text="body", time=("published", "crawled"))


def test_every_setting_is_a_key():
    assert set(config.SETTING_KEYS) | {"recipe"} == set(Settings.__dataclass_fields__)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("treshold = 0.8", ["treshold", "'threshold'"]),
        ("windows_hours = 3", ["windows_hours", "'window_hours'"]),
        ("[recipe]\nfoldcase = true", ["recipe.foldcase", "'recipe.fold_case'"]),
        ("[fields]\nbody = 'x'", ["fields.body", "fields."]),
        ("threshold = 7", ["threshold", "7"]),
        ("policy = 'delete'", ["policy", "delete", "mark"]),
        ("threshold = ", ["neardup.toml", "TOML", "Invalid value"]),
        ("recipe = 4", ["recipe", "table"]),
        ("window = 4", ["window", "4"]),
        ("window = ''", ["window is ''", "path of a directory"]),
        ('window = "a\\u0000b"', ["window", "path of a directory"]),
        ("[recipe]\nsalt = ''", ["salt is ''", "the path of a file"]),
        ("[recipe]\nlexicon = true", ["lexicon is True", "the path of a file"]),
        ("[fields]\ntext = 4", ["fields.text", "4"]),
        ("matches = 'some'", ["matches is 'some'", "a whole number of at least 0, or all"]),
        ("[elasticsearch]\npasword = 'x'", ["elasticsearch.pasword", "'elasticsearch.password'"]),
        ("[elasticsearch]\nusername = 'u'", ["password"]),
        ("elasticsearch = 'x'", ["elasticsearch", "table"]),
    ],
)
def test_an_unusable_file_says_what_is_wrong(tmp_path, text, names):
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, text)
    for name in names:
        assert name in str(caught.value)


@pytest.mark.parametrize(
    ("before", "repeated", "after", "said"),
    [
        ("matches = ", 5_000 * "9", "", "no TOML: .*4300 digits"),
        ("routes = ", 50_000 * "[", "", "no TOML: .*recursion"),
        ("matches = '", 5_000 * "9", "'", "a whole number"),
        ("max_memory = '", 400 * "9", "GB'", "a size such as"),
    ],
    ids=["number", "brackets", "matches", "max_memory"],
)
def test_what_is_far_too_long_is_refused_as_other_values_are(tmp_path, before, repeated, after, said):
    with pytest.raises(SettingsError, match=said):
        load(tmp_path, before + repeated + after)


KEYS = {"": config.TOP_KEYS, **config.TABLES}


@pytest.mark.parametrize("value", ["2026-11-26", "[[1]]", "{a = 1}"])
@pytest.mark.parametrize(("table", "key"), [(table, key) for table, keys in KEYS.items() for key in keys])
def test_a_value_of_a_type_that_no_setting_has_is_refused_by_its_key(tmp_path, table, key, value):
    with pytest.raises(SettingsError, match=key):
        load(tmp_path, f"{f'[{table}]' if table else ''}\n{key} = {value}")


@pytest.mark.parametrize("text", ["treshold = 0.8", "[recipe]\nfoldcase = true", "threshold = "])
def test_an_unusable_file_is_named_as_it_was_asked_for(tmp_path, text):
    path = tmp_path / "c.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        config.load(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path):
    path = tmp_path / "neardup.toml"
    path.write_text("threshold = 0.8", "utf-8-sig")
    assert config.load(path).settings.threshold == 0.8


def test_a_value_that_cannot_be_used_is_told_with_what_it_stands_in(tmp_path):
    path = tmp_path / "own.toml"
    for text in ("threshold = 7", "[recipe]\nq = 70", "max_memory = 'much'"):
        path.write_text(text)
        with pytest.raises(ConfigError, match=re.escape(f"{path}: setting ")):
            config.load(path)
    path.write_text("threshold = 0.8")
    with pytest.raises(SettingsError, match="setting NEARDUP_THRESHOLD is '7': it must be a number above 0"):
        config.load(path, {"NEARDUP_THRESHOLD": "7"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q = 5", "there is no setting 'q'; q belongs in the table [recipe]"),
        ("[recipe]\nq = 5\nthreshold = 0.8", "'recipe.threshold'; threshold belongs above all tables"),
        ("[recipe]\ntext = 'body'", "'recipe.text'; text belongs in the table [fields]"),
        ("[recipe]\nrecipe = 5", "'recipe.recipe'; the nearest is 'recipe.reach'"),
        (
            "[neardup]\nq = 5",
            "'neardup'; settings belong above all tables; the tables are recipe, fields, elas",
        ),
        ("[tool.neardup]\nq = 5", "'tool'; settings belong above all tables"),
        ("[recip]\nq = 5", "'recip'; the nearest is 'recipe'"),
    ],
)
def test_a_key_in_the_wrong_table_is_told_where_it_stands(tmp_path, text, message):
    path = tmp_path / "neardup.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(message)):
        config.load(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "NEARDUP_THRESOLD",
            "NEARDUP_THRESOLD is no setting, and is ignored; the nearest is NEARDUP_THRESHOLD",
        ),
        ("NEARDUP_FOLD_CASE", "fold_case belongs in neardup.toml, in the table [recipe]"),
        ("NEARDUP_TEXT", "text belongs in neardup.toml, in the table [fields]"),
        ("NEARDUP_VERIFY_CERTS", "verify_certs belongs in neardup.toml, in the table [elasticsearch]"),
        ("NEARDUP_APIKEY", "the nearest is NEARDUP_API_KEY"),
        ("NEARDUP_TOKN", "the nearest is NEARDUP_TOKEN"),
    ],
)
def test_a_variable_that_is_no_setting_is_told_but_no_error(tmp_path, caplog, name, message):
    assert load(tmp_path, "threshold = 0.8", **{name: "0.7"}).settings.threshold == 0.8
    (record,) = caplog.records
    assert message in record.getMessage()
    assert "0.7" not in record.getMessage()  # it may be a secret


@pytest.mark.parametrize(
    "line", ['verify_certs = "no"', "username = 1", 'ca_certs = "none.pem"', 'password = "x"']
)
def test_what_is_wrong_for_a_cluster_is_told_with_what_it_stands_in(tmp_path, line):
    with pytest.raises(ConfigError, match=r"neardup\.toml: setting "):
        load(tmp_path, f"[elasticsearch]\n{line}\n")


def test_what_is_wrong_in_the_environment_names_no_file_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match=r"setting NEARDUP_CA_CERTS is 'none.pem'"):
        config.load(None, {"NEARDUP_CA_CERTS": "none.pem"})
    with pytest.raises(SettingsError, match=r"^setting username is None"):
        config.load(None, {"NEARDUP_PASSWORD": "x"})


def test_variables_that_are_known_or_of_others_are_not_told(tmp_path, caplog, monkeypatch):
    monkeypatch.setenv("NEARDUP_CONFIG", "")
    own = {f"NEARDUP_{key.upper()}": "" for key in config.VARIABLE_KEYS}
    assert {"NEARDUP_WINDOW", "NEARDUP_CONFIG", "NEARDUP_TOKEN", "NEARDUP_API_KEY"} <= set(own)
    tests = dict.fromkeys(
        (
            "NEARDUP_TEST_URL",
            "NEARDUP_TEST_PLUGIN",
            "NEARDUP_REQUIRE_NODE",
            "NEARDUP_DATA",
            "NEARDUP_CPU_LEVEL",
        ),
        "x",
    )
    load(tmp_path, "", **own, **tests, PATH="x", THRESOLD="x")
    assert caplog.records == []


def test_a_file_that_was_asked_for_must_be_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        config.load(tmp_path / "none.toml")


def test_a_number_of_matches_that_is_none_may_be_all(tmp_path):
    with pytest.raises(SettingsError, match=r"NEARDUP_MATCHES is 'some': .*, or all"):
        load(tmp_path, NEARDUP_MATCHES="some")


def test_the_environment_wins_over_the_file(tmp_path):
    found = load(
        tmp_path,
        "threshold = 0.8\nmatches = 2",
        NEARDUP_THRESHOLD="0.9",
        NEARDUP_MATCHES="all",
        NEARDUP_ROUTES="simhash, sentences",
        NEARDUP_FSYNC="yes",
        NEARDUP_WINDOW_HOURS="0",
        NEARDUP_WINDOW="w",
        NEARDUP_POLICY="",
    )
    settings = Settings(
        threshold="0.9", matches=None, routes=("simhash", "sentences"), fsync=True, window_hours=0
    )
    assert (found.settings, found.window) == (settings, "w")


def test_the_environment_may_name_the_file(tmp_path):
    path = tmp_path / "other.toml"
    path.write_text("threshold = 0.5")
    assert config.load(environ={"NEARDUP_CONFIG": str(path)}).settings.threshold == 0.5


@pytest.mark.parametrize(("name", "value"), [("NEARDUP_WINDOW_HOURS", "soon"), ("NEARDUP_FSYNC", "perhaps")])
def test_an_unusable_variable_is_named(tmp_path, name, value):
    with pytest.raises(SettingsError, match=f"{name}.*{value}"):
        load(tmp_path, **{name: value})


def test_only_what_is_given_is_given(tmp_path):
    """A window remembers what it was last written with; a default of ours must not overrule it."""
    assert load(tmp_path, "threshold = 0.8").with_options(policy=None, q=None, routes=None).given == {
        "threshold": 0.8
    }


def test_recipe_options_change_the_given_recipe(tmp_path):
    found = load(tmp_path, "[recipe]\nfold_case = true").with_options(q=5)
    assert found.recipe == Recipe(q=5, fold_case=True)


def test_a_bad_option_is_told_at_once():
    with pytest.raises(SettingsError, match="threshold"):
        config.Config().with_options(threshold="much")


@pytest.mark.parametrize(
    ("text", "size"),
    [("512", 512), ("10k", 10_000), ("800MB", 800_000_000), ("1.5 GiB", 3 << 29), ("2g", 2 * 10**9)],
)
def test_sizes_are_written_as_people_write_them(text, size):
    assert config.Config().with_options(max_memory=text).settings.max_memory == size


def test_fields_given_as_options_win():
    fields = (
        config.Config(fields=Fields(id="guid", text="body")).with_fields(text="content", time="when").fields
    )
    assert fields == Fields(id="guid", text="content", time=("when",))


def test_options_win_over_everything_that_is_set(tmp_path):
    found = load(tmp_path, "threshold = 0.8\npolicy = 'drop'\nmatches = 2")
    changed = found.with_options(threshold="0.6", policy=None, matches="all")
    assert changed.settings == Settings(threshold="0.6", policy="drop", matches=None)


def test_credentials_come_from_the_file_and_from_the_environment(tmp_path):
    table = "window = 'https://search:9200/news'\n[elasticsearch]\nusername = 'u'\npassword = 'hush'\n"
    found = load(tmp_path, table)
    assert found.credentials == Credentials(username="u", password="hush")
    assert found.window == "https://search:9200/news"
    assert load(tmp_path, table, NEARDUP_API_KEY="key").credentials == Credentials(api_key="key")


def test_a_configuration_shows_no_secret(tmp_path):
    found = load(tmp_path, "[elasticsearch]\napi_key = 'hush'").with_options(threshold=0.9)
    assert "hush" not in repr(found)
    assert found.credentials.api_key == "hush"


def test_fields_that_options_name_are_read_though_they_are_called_as_by_default(monkeypatch):
    """The window's own, or `_id`, stood in for them."""
    recipe = Recipe()
    about = WindowConfig(recipe, signer_for(recipe).text, text_field="page.body").about()
    state = StateDocument(about, {})
    monkeypatch.setattr("neardup.elastic.window.state_document.read_state", lambda _: state)
    url = "http://127.0.0.1:1/news"
    named = config.Config().with_fields(id="id", text="text")
    assert by_fields_of_window(url, config.Config(), adds=True).fields.text == "page.body"
    assert by_fields_of_window(url, named, adds=True).fields.text == "text"
    assert config.Config().fields_beside("_id").id == "_id"
    assert named.fields_beside("_id").id == "id"
