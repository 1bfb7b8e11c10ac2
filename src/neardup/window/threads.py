"""One call at a time: what makes a window safe to use from several threads."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def one_at_a_time(method: Method) -> Method:
    """The method, which waits while another such method of the same object (its `_lock`) runs in another thread.

    Kernels release the GIL and count in memory that all searches of a window share: two at once give wrong answers.
    """

    @functools.wraps(method)
    def locked(self: Any, *arguments: Any, **options: Any) -> Any:
        with self._lock:
            return method(self, *arguments, **options)

    return cast("Method", locked)
