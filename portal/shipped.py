"""Folders that lie beside the package in a checkout and inside it in a wheel: templates, static, deploy."""

from pathlib import Path

_HERE = Path(__file__).parent


def folder(name: str) -> Path:
    """Where it is."""
    inside = _HERE / name
    return inside if inside.is_dir() else _HERE.parent / name
