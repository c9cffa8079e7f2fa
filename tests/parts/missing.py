"""Skips tests whose programs are not installed, with a message."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest


def program(name: str, *, how: str) -> str:
    """Return the full path of a program; if it is missing, skip the test and say how to get it (fail if CI=true)."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if found is None:
        missing(f"{name} is not installed: {how}")
    return found


def file(path: Path, *, how: str) -> Path:
    """Return the path; if the file is missing, skip the test and say how to get it (fail if CI=true)."""
    if not path.is_file():
        missing(f"{path.name} is not installed: {how}")
    return path


def missing(line: str) -> NoReturn:
    """Skip the test, or fail if CI=true."""
    if os.environ.get("CI") == "true":
        pytest.fail(line, pytrace=False)
    pytest.skip(line)
