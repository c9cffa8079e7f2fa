"""What to say when a program that a test needs is not on this machine."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest


def program(name: str, *, how: str) -> str:
    """The full path of a program; without it the test is skipped with a line on how to get it (failed when CI=true)."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if found is None:
        missing(f"{name} is not installed: {how}")
    return found


def file(path: Path, *, how: str) -> Path:
    """The path itself; without the file the test is skipped with a line on how to get it (failed when CI=true)."""
    if not path.is_file():
        missing(f"{path.name} is not installed: {how}")
    return path


def missing(line: str) -> NoReturn:
    """Skip, or fail where nothing may be skipped."""
    if os.environ.get("CI") == "true":
        pytest.fail(line, pytrace=False)
    pytest.skip(line)
