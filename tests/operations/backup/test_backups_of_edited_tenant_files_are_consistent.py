"""A backup contains tenant files and their keys as of one time, even if they are edited meanwhile."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from portal.operations.backup.manifest import BackupError, Manifest
from portal.operations.backup.take import BackupSource, take
from tests.delivery.scene import Scene, ShiftedClock, scene


class EditedClock(ShiftedClock):
    """Each sleep makes one more edit."""

    def __init__(self, edits: Iterator[Callable[[], object]]) -> None:
        super().__init__()
        self._edits = edits

    def sleep(self, seconds: float) -> None:
        next(self._edits, lambda: None)()
        super().sleep(seconds)


def _source(made: Scene) -> BackupSource:
    parts, tenants = made.parts, made.folder / "tenants"
    return BackupSource(parts.database, None, parts.store, parts.erasures, tenants, made.folder, parts.seal)


def _content(folder: Path) -> dict[str, str]:
    manifest = Manifest.read(folder)
    numbered = (("tenants", manifest.tenants), ("keys", manifest.keys))
    return {name: (folder / place / number).read_text() for place, of in numbered for number, name in of.items()}


def test_both_new_files_are_in_the_backup(tmp_path: Path):
    with scene(tmp_path / "site", f"sqlite:///{tmp_path / 'portal.db'}") as made:
        file, key = made.folder / "tenants" / "acme.toml", made.folder / "new-key"
        new = file.read_text().replace(f"{made.folder / 'key'}", str(key))

        def edits() -> Iterator[Callable[[], object]]:
            yield lambda: file.write_text(new[:40])
            yield lambda: file.write_text(new)
            yield lambda: key.write_text("a-new-key")

        folder = take(_source(made), tmp_path / "backups", EditedClock(edits()), report=lambda *_: None)
        found = _content(folder)
        assert found["acme.toml"] == new
        assert found[str(key)] == "a-new-key"
        assert Manifest.read(folder).lost == ()


def test_a_key_file_named_since_the_backup_began_is_in_it(tmp_path: Path):
    with scene(tmp_path / "site", f"sqlite:///{tmp_path / 'portal.db'}") as made:
        file, key = made.folder / "tenants" / "acme.toml", made.folder / "new-key"

        def edit(what: str, _done: int, _total: int) -> None:
            if what == "files":
                key.write_text("a-new-key")
                file.write_text(file.read_text().replace(f'{made.folder / "key"}"', f'{key}"'))

        found = _content(take(_source(made), tmp_path / "backups", made.clock, report=edit))
        assert found[str(key)] == "a-new-key"


def test_files_that_change_constantly_fail_the_backup(tmp_path: Path):
    with scene(tmp_path / "site", f"sqlite:///{tmp_path / 'portal.db'}") as made:
        key, home = made.folder / "key", tmp_path / "backups"
        clock = EditedClock(iter([lambda number=number: key.write_text(f"key-{number}") for number in range(9)]))
        with pytest.raises(BackupError, match="changed while they were read"):
            take(_source(made), home, clock, report=lambda *_: None)
        assert not list(home.glob("2*Z")), "no backup was made"
