"""The id of the request that is being answered, so that every line of it can be found by what an error page says."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

HEADER = "X-Request-Id"
_USABLE = re.compile(r"[A-Za-z0-9._-]{1,64}")
_current: ContextVar[str] = ContextVar("request_id", default="")


def current() -> str:
    """Of the request that this thread answers; "" outside of any."""
    return _current.get()


def made() -> str:
    """A new one: 16 hex digits."""
    return os.urandom(8).hex()


def taken_or_made(said: str | None) -> str:
    """The one that was said in the header, where it is one; else a new one. It is a label, and proves nothing."""
    return said if said and _USABLE.fullmatch(said) else made()


@contextmanager
def under(request_id: str) -> Iterator[None]:
    """Within the block each line of this thread carries the id."""
    token = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(token)
