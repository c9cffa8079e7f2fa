"""The small site of tests/web on the real server."""

import sys
from collections.abc import Iterator

import pytest

from tests.parts.process import accepts, free_port, private_folder, running
from tests.site.small_site import ROOT


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    number = free_port()
    argv = [sys.executable, "-m", "granian", "--interface", "rsgi", "--factory", "--host", "127.0.0.1", "--port"]
    argv += [str(number), "--http", "1", "--log-level", "warning", "tests.site.small_site:serving"]
    with private_folder() as home:
        environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
        with running(argv, log=home / "log", ready=lambda: accepts(number), cwd=home, env=environment):
            yield number
