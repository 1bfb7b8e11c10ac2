from __future__ import annotations

import pickle

import pytest

from neardup.elastic.http.address import Address, Credentials, is_address, parse_address
from neardup.errors import SettingsError
from neardup.model.hours import hour_of

NEWS = Address("https://search:9200", "news")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://search:9200/news", NEWS),
        ("https://search:9200/news/", NEWS),
        ("HTTPS://Search:9200/news", NEWS),
        ("http://localhost/a", Address("http://localhost:80", "a")),
        ("https://es.example.org/9_-", Address("https://es.example.org:443", "9_-")),
        ("http://[::1]:9200/news", Address("http://[::1]:9200", "news")),
        ("http://h:1/" + "a" * 100, Address("http://h:1", "a" * 100)),
    ],
)
def test_an_address_is_a_cluster_and_a_prefix(text, address):
    assert is_address(text)
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("https://search:9200", "/news"),
        ("https://search:9200/", "/news"),
        ("https://search:9200/a/b", "a/b"),
        ("https://search:9200/News", "lower case"),
        ("https://search:9200/-news", "first"),
        ("https://search:9200/_all", "first"),
        ("https://search:9200/*", "lower case"),
        ("https://search:9200/a%2Cb", "lower case"),
        ("https://search:9200/" + "a" * 101, "100"),
        ("https://search:9200/neardup", "begin with neardup"),
        ("https://search:9200/neardup-state-x", "begin with neardup"),
        ("https://search:9200/news-copies", "-copies"),
        ("https://search:9200/news?pretty", "without ?"),
        ("https://search:9200/news#top", "without ?"),
        ("https://:9200/news", "URL such as"),
        ("https://search:port/news", "URL such as"),
        ("https://search:99999/news", "URL such as"),
        ("ftp://search:9200/news", "URL such as"),
        ("search:9200/news", "URL such as"),
        ("http://search engine:9200/news", "'search engine' cannot be the name of a host"),
        ("http://search..lan:9200/news", "'search..lan' cannot be the name of a host"),
        ("http://search%20engine:9200/news", "cannot be the name of a host"),
        ("http://caf\udce9:9200/news", "cannot be the name of a host"),
        (f"http://{'a' * 64}.lan:9200/news", "cannot be the name of a host"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(text, named):
    with pytest.raises(SettingsError) as caught:
        parse_address(text)
    assert named in str(caught.value)
    assert caught.value.value == text


@pytest.mark.parametrize(
    ("name", "asked"),
    [("exämple.lan", "xn--exmple-cua.lan"), ("a\u00aab.lan", "aab.lan"), ("search.", "search.")],
)
def test_a_host_of_other_letters_is_asked_for_in_ascii(name, asked):
    assert parse_address(f"http://{name}:9200/news").url == f"http://{asked}:9200"


@pytest.mark.parametrize(
    "text",
    [
        "https://elastic:hush@search:9200/news",
        "https://elastic:hu@hush@search:9200/news",
        "https://elastic:hush/hush@search:9200/news",
        "https://elastic:12/hush@search:9200/news",
        "https://hush@search:9200/news",
        "https://elastic:hush@search:port/news",
        "https://elastic:hush@/",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(text):
    with pytest.raises(SettingsError) as caught:
        parse_address(text)
    assert "hush" not in str(caught.value)
    assert "hush" not in repr(caught.value.args)


def test_a_password_in_an_address_has_another_home():
    with pytest.raises(SettingsError, match=r"search:9200/news.*NEARDUP_PASSWORD.*NEARDUP_API_KEY"):
        parse_address("https://elastic:hush@search:9200/news")


@pytest.mark.parametrize("text", ["news.window", "/tmp/news", "file:///tmp/news", "https", ""])
def test_a_directory_is_no_address(text):
    assert not is_address(text)


def test_names_of_a_window():
    assert NEWS.hourly(498681) == "news-2026.11.21-09"
    assert NEWS.copies(498681) == "news-copies-2026.11.21-09"
    assert (NEWS.alias, NEWS.pattern, NEWS.copies_pattern) == ("news", "news-*", "news-copies-*")
    assert (NEWS.state, NEWS.state_template) == ("neardup-state-news",) * 2
    assert {NEWS.template, NEWS.pipeline, NEWS.policy} == {"neardup-news"}
    assert NEWS.copies_template == "neardup-news-copies"


@pytest.mark.parametrize("hour", [-(2**24), -1, 0, 1, 498681, 498690, hour_of(253_402_300_799_999)])
def test_an_index_tells_its_hour(hour):
    assert NEWS.hour_of_index(NEWS.hourly(hour)) == (hour, False)
    assert NEWS.hour_of_index(NEWS.copies(hour)) == (hour, True)


@pytest.mark.parametrize(
    "name",
    [
        "news",
        "news-2026.11.21",
        "news-2026.13.21-09",
        "news-2026.11.31-09",
        "news-2026.11.21-24",
        "news-2026.11.21-09-000001",
        "xnews-2026.11.21-09",
        "news-copies",
        "news-copies-copies-2026.11.21-09",
        "news-de-2026.11.21-09",
        "news-٢٠٢٦.11.21-09",
    ],
)
def test_an_index_of_another_form_has_no_hour(name):
    assert NEWS.hour_of_index(name) is None


SECRETS = {"NEARDUP_USERNAME": "elastic", "NEARDUP_PASSWORD": "hush"}


def test_credentials_never_show_a_secret():
    for credentials in (Credentials(api_key="hush"), Credentials(username="elastic", password="hush")):
        assert "hush" not in repr(credentials) + str(credentials) + f"{credentials}"
        assert credentials.secret


def test_no_credentials_are_none():
    assert not Credentials().secret
    assert Credentials.from_settings({}, {"NEARDUP_API_KEY": ""}) == Credentials()


def test_the_environment_wins_over_the_file(tmp_path):
    certificate = tmp_path / "ca.pem"
    certificate.write_text("")
    table = {"username": "file", "password": "file", "ca_certs": str(certificate), "verify_certs": False}
    found = Credentials.from_settings(table, SECRETS)
    assert found == Credentials(None, "elastic", "hush", str(certificate), verify_certs=False)


def test_an_api_key_replaces_a_user_and_a_user_an_api_key():
    key = {"NEARDUP_API_KEY": "hush"}
    assert Credentials.from_settings({"username": "a", "password": "b"}, key) == Credentials(api_key="hush")
    assert Credentials.from_settings({"api_key": "k"}, SECRETS) == Credentials(None, "elastic", "hush")


def test_a_password_alone_in_the_environment_completes_the_file():
    found = Credentials.from_settings({"username": "elastic"}, {"NEARDUP_PASSWORD": "hush"})
    assert found == Credentials(username="elastic", password="hush")


@pytest.mark.parametrize(
    ("table", "environ", "named"),
    [
        ({}, {"NEARDUP_USERNAME": "elastic"}, "password"),
        ({}, {"NEARDUP_PASSWORD": "hush"}, "username"),
        ({}, SECRETS | {"NEARDUP_API_KEY": "hush"}, "api_key"),
        ({}, {"NEARDUP_API_KEY": "hush\n"}, "a line end"),  # as a file of it has
        ({}, {"NEARDUP_API_KEY": "hush\r"}, "api_key"),
        ({"api_key": "hu sh hush"}, {}, "white space"),
        ({"api_key": "hush€"}, {}, "ASCII"),
        ({"password": 4}, {}, "elasticsearch.password"),
        ({"api_key": ["hush"]}, {}, "elasticsearch.api_key"),
        ({"verify_certs": "no"}, {}, "verify_certs"),
        ({}, {"NEARDUP_CA_CERTS": "/nowhere.pem"}, "/nowhere.pem"),
    ],
)
def test_credentials_that_cannot_be_used_are_named_and_not_shown(table, environ, named):
    with pytest.raises(SettingsError) as caught:
        Credentials.from_settings(table, environ)
    assert named in str(caught.value)
    assert "hush" not in str(caught.value)
    assert "hush" not in repr(caught.value.args)


def test_addresses_can_be_pickled():
    assert pickle.loads(pickle.dumps(NEWS)) == NEWS
