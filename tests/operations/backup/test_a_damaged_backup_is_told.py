"""Who verifies a backup learns of every file in it that is damaged or missing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.operations.backup.machine import Backups

pytestmark = pytest.mark.parametrize("backups", ["sqlite"], indirect=True)


def _damage(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def _some_file(backups: Backups) -> Path:
    return next(path for path in (backups.home / "files").rglob("*") if path.is_file())


def _newest(backups: Backups) -> Path:
    return max(path for path in backups.home.iterdir() if path.name.startswith("2"))


DAMAGE: dict[str, tuple[Callable[[Backups], object], str]] = {
    "portal": (lambda it: _damage(_newest(it) / "portal.sqlite"), "portal.sqlite is missing or damaged"),
    "tracker": (lambda it: (_newest(it) / "tracker.sqlite").unlink(), "tracker.sqlite is missing or damaged"),
    "a file": (lambda it: _damage(_some_file(it)), "1 of 2 files are missing or damaged"),
    "no file": (lambda it: _some_file(it).unlink(), "1 of 2 files are missing or damaged"),
    "list": (lambda it: _damage(_newest(it) / "files.gz"), "files.gz is damaged"),
    "manifest": (lambda it: (_newest(it) / "manifest.json").write_text("{}"), "manifest.json cannot be read"),
    "deep": (lambda it: (_newest(it) / "manifest.json").write_text("[" * 100_000), "manifest.json cannot be read"),
}


@pytest.fixture
def two_applications(backups: Backups) -> None:
    site = backups.site
    site.portal("tracker", "tenant", "add", "acme", "Acme")
    site.start("serve")
    site.serving()
    site.portal("sync")
    for _ in range(2):
        site.acknowledge(site.open_form())
    site.kill("serve")


def test_each_is_named(backups: Backups, two_applications: None):
    for number, (do, says) in enumerate(DAMAGE.values()):
        home = backups.home.with_name(f"backups-{number}")
        damaged = Backups(backups.site, home, backups.databases)
        damaged.take()
        assert damaged.run("backup", "verify", str(home)).returncode == 0
        do(damaged)
        done = damaged.run("backup", "verify", str(home))
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert says in done.stderr
