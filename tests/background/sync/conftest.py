"""A scene with candidates on both databases."""

from tests.people.index.conftest import desk

__all__ = ["desk"]
