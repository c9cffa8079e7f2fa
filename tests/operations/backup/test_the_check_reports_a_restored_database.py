"""After a restore, `portal check` reports that it shows the state of the backup, until a worker has run."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from click.testing import CliRunner

from portal.background.outbox.heartbeat import Heartbeat
from portal.cli import portal
from portal.platform.clock import SystemClock
from portal.platform.database.db import Database
from tests.builders import SECRET
from tests.schemas import PORTAL


def test_a_restore_is_reported_until_a_worker_has_run(tmp_path: Path):
    told = {"PORTAL_HOME": str(tmp_path), "PORTAL_SECRET_KEY": SECRET, "PORTAL_DATABASE_URL": "sqlite:///portal.db"}

    def said() -> dict[str, tuple[bool, str]]:
        done = CliRunner().invoke(portal, ["check", "--json"], env=told)
        return {line["what"]: (line["warns"], line["says"]) for line in json.loads(done.stdout)}

    assert CliRunner().invoke(portal, ["db", "upgrade"], env=told).exit_code == 0
    assert "restore" not in said()
    state = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=2)
    done = CliRunner().invoke(portal, ["db", "restored", f"{state:%Y-%m-%dT%H:%M:%SZ}"], env=told)
    assert done.exit_code == 0, done.output
    warns, says = said()["restore"]
    assert warns
    assert f"the database is as it was at {state:%Y-%m-%d %H:%M} UTC: until a worker has run" in says
    database = Database(f"sqlite:///{tmp_path / 'portal.db'}", migrations=PORTAL)
    Heartbeat(database, SystemClock()).beat()
    database.close()
    assert "restore" not in said()
