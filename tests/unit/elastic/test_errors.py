from __future__ import annotations

import pickle

import pytest

from neardup import errors
from neardup.elastic.watch.window_removal import NothingToRemove

URL = "https://search:9200"
EXAMPLES = [
    (
        errors.ClusterUnreachable(URL, "connection refused"),
        f"Elasticsearch at {URL} cannot be used: connection refused",
    ),
    (
        errors.ClusterRefused(URL, None, None, None),
        (
            f"Elasticsearch at {URL} rejects the credentials, or requires some: "
            "set NEARDUP_API_KEY, or NEARDUP_USERNAME and NEARDUP_PASSWORD"
        ),
    ),
    (
        errors.ClusterRefused(URL, "indices:data/read/search", "news-1", "reader (or scorer)"),
        (
            f"Elasticsearch at {URL} refuses indices:data/read/search on news-1 to this user: "
            "the role reader (or scorer) of neardup allows it (docs/security.md)"
        ),
    ),
    (
        errors.ClusterRefused(URL, "cluster:monitor/nodes/info", None, "setup"),
        (
            f"Elasticsearch at {URL} refuses cluster:monitor/nodes/info to this user: "
            "the role setup of neardup allows it (docs/security.md)"
        ),
    ),
    (
        errors.NotSetUp(f"{URL}/news"),
        (
            f"{URL}/news: no window is set up here; `neardup setup --window {URL}/news` does it; for an index scored "
            "in place, `neardup ingest --from-index INDEX --in-place` does"
        ),
    ),
    (
        NothingToRemove(f"{URL}/news"),
        f"{URL}/news: there is nothing to remove, because no window is set up here",
    ),
    (
        errors.ClusterRejected(URL, "PUT /news", 400, "mapper_parsing_exception", "no handler for type [x]"),
        f"Elasticsearch at {URL} answered PUT /news with 400 mapper_parsing_exception: no handler for type [x]",
    ),
]


@pytest.mark.parametrize(("error", "message"), EXAMPLES)
def test_an_error_says_what_is_wrong_and_what_to_do(error, message):
    assert str(error) == message
    assert isinstance(error, errors.ClusterError)


@pytest.mark.parametrize(("error", "message"), EXAMPLES)
def test_errors_travel_between_processes(error, message):
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), message, vars(error))


def test_a_conflict_is_a_rejection():
    assert issubclass(errors.ClusterConflict, errors.ClusterRejected)
