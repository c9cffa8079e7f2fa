"""A restore restores every tenant file and every secret file that it names, in any notation."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.operations.backup.machine import Backups

pytestmark = pytest.mark.parametrize("backups", ["sqlite"], indirect=True)


def _of(backups: Backups, slug: str) -> Path:
    return backups.site.folder / "tenants" / f"{slug}.toml"


def _secret(backups: Backups, name: str, text: str = "a-key-of-the-service\n") -> Path:
    file = backups.site.folder / "keys" / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode())
    return file


def _written_in_every_way(backups: Backups) -> None:
    acme, globex, old = _of(backups, "acme"), _of(backups, "globex"), f'"file:{backups.site.folder / "key"}"'
    google = _secret(backups, "google.json", '{\r\n "client_email": "portal@acme.example"\r\n}')
    new, former = _secret(backups, "new"), _secret(backups, "former")
    acme.write_text(
        acme.read_text().replace(old, f"'file:{_secret(backups, 'acme')}'")
        + f"[push]\n'google' = 'file:{google}'\n"
        + f'[webhooks]\njobs = []\nsecret = \'file:{new}\'\nformer_secret = """file:{former}"""\n'
    )
    escaped = f'"file:{_secret(backups, "k").parent}/\\u006b"'
    globex.write_text(globex.read_text().replace(old, escaped))


def _as_bytes_of_any_kind(backups: Backups) -> None:
    acme, globex, old = _of(backups, "acme"), _of(backups, "globex"), str(backups.site.folder / "key").encode()
    windows = acme.read_bytes().replace(old, str(_secret(backups, "acme")).encode()).replace(b"\n", b"\r\n")
    acme.write_bytes(b"\xef\xbb\xbf" + windows)
    latin = globex.read_bytes().replace(old, str(_secret(backups, "globex")).encode())
    globex.write_bytes(latin + b"# M\xfcnchen\n")


def _with_a_mistake_and_beside_strays(backups: Backups) -> None:
    acme, old = _of(backups, "acme"), f'"file:{backups.site.folder / "key"}"'
    acme.write_text(acme.read_text().replace(old, f"'file:{_secret(backups, 'acme')}'") + "[site\n")
    _of(backups, "Acme before the move").write_text('[tracker]\napi_key = "file:/nowhere/at/all"\n')
    _of(backups, "._acme").write_bytes(b"\x00\x05\x16\x07\xff")
    _of(backups, ".#acme").symlink_to("ada@office.4711")
    _of(backups, "a.folder").mkdir()


def _files(backups: Backups) -> dict[str, bytes]:
    folders = (backups.site.folder / "tenants", backups.site.folder / "keys")
    return {path.name: path.read_bytes() for folder in folders for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(
    ("written", "files"),
    [(_written_in_every_way, 7), (_as_bytes_of_any_kind, 4), (_with_a_mistake_and_beside_strays, 5)],
)
def test_tenant_and_secret_files_are_restored(backups: Backups, written: Callable[[Backups], None], files: int):
    written(backups)
    before = _files(backups)
    assert len(before) == files
    backups.take()
    backups.lose_the_machine()
    shutil.rmtree(backups.site.folder / "keys")
    assert "Next: portal check" in backups.restore()
    assert _files(backups) == before


def test_an_unreadable_tenant_file_fails_the_backup(backups: Backups):
    _of(backups, "initech").symlink_to("nowhere")
    done = backups.run("backup", str(backups.home))
    assert done.returncode == 1
    assert "initech.toml could not be read and is not in this backup" in done.stderr
