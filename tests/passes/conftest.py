"""A desk of candidates on both databases."""

from tests.candidates.conftest import desk

__all__ = ["desk"]
