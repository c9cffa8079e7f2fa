"""PORTAL_HOME is what relative paths and defaults start from, wherever a command is called."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from portal.cli import portal
from portal.platform.config.settings import Settings, TrackerSettings, read_secret, secret_file
from portal.platform.errors import SettingsError
from tests.builders import SECRET

SET = {"PORTAL_SECRET_KEY": SECRET}


def test_the_same_database_is_used_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    for folder in (home, elsewhere):
        folder.mkdir()
    monkeypatch.chdir(elsewhere)
    done = CliRunner().invoke(portal, ["db", "upgrade"], env={**SET, "PORTAL_HOME": str(home)})
    assert done.exit_code == 0
    assert (home / "instance" / "portal.db").is_file()
    assert list(elsewhere.iterdir()) == []
    os.chdir(home)
    assert "up to date" in CliRunner().invoke(portal, ["check"], env={**SET, "PORTAL_HOME": str(home)}).stdout


def test_every_default_and_every_relative_path_starts_at_portal_home(tmp_path: Path):
    found = Settings.from_env({**SET, "PORTAL_HOME": str(tmp_path)})
    assert found.database_url == f"sqlite:///{tmp_path}/instance/portal.db"
    assert found.tenants == tmp_path / "instance" / "tenants"
    assert (found.attachments, found.mail) == (
        f"file:{tmp_path}/instance/attachments",
        f"file:{tmp_path}/instance/mail",
    )
    assert TrackerSettings.from_env({"PORTAL_HOME": str(tmp_path)}).database_url == (
        f"sqlite:///{tmp_path}/instance/tracker.db"
    )


def test_absolute_and_remote_locations_are_unchanged(tmp_path: Path):
    elsewhere = {
        "PORTAL_DATABASE_URL": "postgresql+psycopg://u@db/portal",
        "PORTAL_TENANTS": "/etc/tenants",
        "PORTAL_ATTACHMENTS": "s3://bucket",
        "PORTAL_MAIL": "smtp://mail.example",
    }
    found = Settings.from_env({**SET, **elsewhere, "PORTAL_HOME": str(tmp_path)})
    assert (found.database_url, str(found.tenants), found.attachments, found.mail) == tuple(elsewhere.values())
    absolute = Settings.from_env({**SET, "PORTAL_HOME": str(tmp_path), "PORTAL_DATABASE_URL": "sqlite:////srv/p.db"})
    assert absolute.database_url == "sqlite:////srv/p.db"


def test_the_path_of_a_secret_file_starts_at_portal_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "acme").write_text("a-key\n")
    monkeypatch.setenv("PORTAL_HOME", str(tmp_path))
    assert secret_file("file:keys/acme") == tmp_path / "keys" / "acme"
    assert read_secret("file:keys/acme") == "a-key"
    assert secret_file("file:/run/secrets/acme") == Path("/run/secrets/acme")


def test_locations_in_command_arguments_start_at_portal_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "attachments").mkdir()
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        database.execute("CREATE TABLE elses (id)")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    environment = {**SET, "PORTAL_HOME": str(tmp_path)}
    copied = CliRunner().invoke(portal, ["storage", "copy", "file:attachments", "file:copies"], env=environment)
    assert f"files are at file:{tmp_path}/copies" in copied.output, copied.exception
    to = "postgresql+psycopg://portal@127.0.0.1:9/portal"
    moved = CliRunner().invoke(portal, ["db", "copy", "sqlite:///other.db", to], env=environment)
    assert f"{tmp_path}/other.db is no database of the portal" in moved.output
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("home", ["instance", "/no/such/folder", "/dev/null"])
def test_an_invalid_portal_home_is_rejected(home: str):
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({**SET, "PORTAL_HOME": home})
    assert str(caught.value) == f"PORTAL_HOME: expected the absolute path of a folder that is there, found '{home}'"


def test_without_portal_home_paths_start_at_the_current_folder():
    assert str(Settings.from_env(SET).tenants) == "instance/tenants"
