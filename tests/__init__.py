"""Sentences about people, and the real parts that they are tried against."""
