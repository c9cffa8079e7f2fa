"""Compiles each SQL statement once for a test process, although every test opens databases of its own.

Compiling took a fifth of the time of tests that open the portal.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.util import LRUCache


class _OneCache:
    """Replaces the attribute `_compiled_cache` of all engines."""

    def __init__(self) -> None:
        self._cache: LRUCache[Any, Any] = LRUCache(10_000)

    def __get__(self, engine: sa.Engine | None, owner: type[sa.Engine]) -> LRUCache[Any, Any]:
        return self._cache

    def __set__(self, engine: sa.Engine, cache: object) -> None:
        """Ignore the engine's own cache."""


def share() -> None:
    """Let all engines of one kind of database use one cache: its keys name the dialect, which every engine creates."""
    sa.Engine._compiled_cache = _OneCache()  # type: ignore[assignment]  # a descriptor in place of the attribute
    sa.engine.default.DefaultDialect.__hash__ = lambda dialect: hash(type(dialect))  # type: ignore[method-assign]
    sa.engine.default.DefaultDialect.__eq__ = lambda dialect, other: type(dialect) is type(other)  # type: ignore[method-assign]
