"""Answers that are not of the form that Elasticsearch's reference promises: a proxy's, or half of one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar, cast

from neardup.errors import ClusterRejected, NeardupError

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

P = ParamSpec("P")
T = TypeVar("T")

UNREADABLE: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""The exceptions that reading a value of an unexpected form raises."""
_OK: Final = 200


def in_words(error: Exception) -> str:
    """What is wrong with a value, by the `error` of `UNREADABLE` that reading it raised."""
    return (
        f"no key {error.args[0]}" if isinstance(error, KeyError) else f"a value that cannot be read: {error}"
    )


def reads_answer(call: Callable[P, T]) -> Callable[P, T]:
    """A decorator of `call`, whose first argument is the cluster: it raises `ClusterRejected` if `call` cannot read the
    cluster's answer. `call` must do nothing but ask and read: any error of `UNREADABLE` in it is blamed on the answer.
    """

    @wraps(call)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except NeardupError:
            raise
        except UNREADABLE as error:
            cluster = cast("Cluster", args[0])
            fault = cluster.credentials.hidden(f"{type(error).__name__}: {error}")
            reason = f"an answer of an unexpected form ({fault}): is it Elasticsearch?"
            what = call.__name__.strip("_")
            raise ClusterRejected(cluster.url, what, _OK, "unexpected_answer", reason) from error

    return checked
