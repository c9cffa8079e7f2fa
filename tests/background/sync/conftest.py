"""A scene with candidates on both databases."""

from tests.people.index.conftest import scene

__all__ = ["scene"]
