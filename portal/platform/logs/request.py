"""Id of the current request, so that all its log lines can be found by the id on an error page."""

import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from portal.platform.logs.allowed_fields import ID

HEADER = "X-Request-Id"
_current: ContextVar[str] = ContextVar("request_id", default="")


def current() -> str:
    """Return the id of the request that this thread handles; "" outside of requests."""
    return _current.get()


_DIGITS = 16
_AT_ONCE = 256
_ready: deque[str] = deque()
os.register_at_fork(after_in_child=_ready.clear)  # two processes must not use the same ids


def new_id() -> str:
    """Return a new id of 16 hex digits. Random bytes for many ids are read at once."""
    try:
        return _ready.pop()
    except IndexError:
        digits = os.urandom(_AT_ONCE * _DIGITS // 2).hex()
        _ready.extend(digits[start : start + _DIGITS] for start in range(_DIGITS, len(digits), _DIGITS))
        return digits[:_DIGITS]


def received_or_new(header_value: str | None) -> str:
    """Return the id in the header if it is a valid one, else a new one. An id is a label, and proves nothing."""
    return header_value if header_value and ID.fullmatch(header_value) else new_id()


@contextmanager
def logging_request(request_id: str) -> Iterator[None]:
    """Add the id to every line of this thread within the block."""
    token = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(token)
