"""`portal serve` and `portal worker` as an operator starts them, on a database that the test names."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.builders import SECRET
from tests.parts.process import running

_TENANT = """
name = "Acme"
[tracker]
base_url = "http://127.0.0.1:9"
api_key = "env:ACME_KEY"
[publish]
stages = ["Open"]
"""


def settings(folder: Path, database_url: str) -> dict[str, str]:
    """Return the environment of a portal with one company, whose service is unavailable."""
    tenants = folder / "tenants"
    tenants.mkdir(exist_ok=True)
    (tenants / "acme.toml").write_text(_TENANT)
    return {
        **os.environ,
        "ACME_KEY": "k" * 20,
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": database_url,
        "PORTAL_TENANTS": str(tenants),
        "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
        "PORTAL_MAIL": f"file:{folder / 'mail'}",
    }


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "portal.cli", *words]


@contextmanager
def started(folder: Path, database_url: str, *words: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command until the block ends; wait until it responds to /healthz, if it has a port."""
    import httpx

    def ready() -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False, timeout=2).is_success
        except httpx.HTTPError:
            return False

    argv = command(*words, "--port", str(port))
    with running(argv, log=folder / "log", ready=ready, env=settings(folder, database_url)) as process:
        yield process


def processes(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Return the child processes that serve; multiprocessing's own helper listens on no port."""
    return [one for one in psutil.Process(process.pid).children(recursive=True) if "tracker" not in _line(one)]


def _line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""
