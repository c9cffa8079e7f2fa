"""A command of the service says which database cannot be used, why, and which setting names it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from portal.cli import portal
from portal.platform.errors import SettingsError
from tests.parts.process import free_port

COMMANDS = [["tenant", "add", "acme", "Acme"], ["key", "list", "acme"], ["serve", "--port", "1"]]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_an_unreachable_database_server_is_named(caplog: pytest.LogCaptureFixture, words: list[str]):
    port = free_port()
    url = f"postgresql+psycopg://tracker:hunter2@127.0.0.1:{port}/tracker"
    done = CliRunner().invoke(portal, ["tracker", *words], env={"TRACKER_DATABASE_URL": url})
    assert done.exit_code == 1
    # Short commands print it; long-running ones log it.
    said = str(done.exception) if isinstance(done.exception, SettingsError) else caplog.messages[-1]
    assert said.endswith(
        f"the service's database: PostgreSQL at 127.0.0.1:{port}: nothing is listening there: start the server, or "
        "correct host and port in TRACKER_DATABASE_URL"
    )


def test_a_file_that_is_not_a_sqlite_database_is_named(tmp_path: Path):
    (tmp_path / "tracker.db").write_text("no database at all, but long enough to be taken for one" * 20)
    url = f"sqlite:///{tmp_path / 'tracker.db'}"
    done = CliRunner().invoke(portal, ["tracker", "key", "list", "acme"], env={"TRACKER_DATABASE_URL": url})
    assert "the file is not an SQLite database: check TRACKER_DATABASE_URL" in str(done.exception)
