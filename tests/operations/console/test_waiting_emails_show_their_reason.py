"""During an outage of the mail server, each waiting email shows the reason, also if it was never attempted."""

from pathlib import Path

from tests.delivery.scene import scene
from tests.operations.console.operator_console import open_console
from tests.parts.process import free_port


def test_an_email_that_was_never_attempted_shows_its_reason(portal_url: str, tmp_path: Path):
    with scene(tmp_path / "scene", portal_url, mail=f"smtp://127.0.0.1:{free_port()}") as made:
        console = open_console(made)
        references = [made.apply(name) for name in ("ada", "eve", "joan")]
        assert "No email is being sent now" not in console.read(f"/submissions/{references[0]}")
        made.deliver()
        said = [console.read(f"/submissions/{one}") for one in references]
        tried = [one for one in said if "The mail server is not responding. No email is being sent now" in one]
        assert len(tried) < len(said), "one is attempted, and the others wait for its result"
        for one in said:
            assert "No email is being sent now: the mail server is not responding. The next attempt is in " in one


def test_a_scheduled_email_shows_its_time(portal_url: str, tmp_path: Path):
    from datetime import timedelta

    from portal.background.outbox.tables import outbox

    with scene(tmp_path / "scene", portal_url) as made:
        console = open_console(made)
        reference = made.apply()
        later = made.clock.now() + timedelta(hours=3, minutes=1)
        with made.parts.database.write() as connection:
            connection.execute(outbox.update().where(outbox.c.kind == "letter").values(due_at=later))
        assert "It will be sent in 3 hours." in console.read(f"/submissions/{reference}")
