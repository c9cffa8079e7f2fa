"""An invalid PORTAL_ERASURES is reported before anything is restored."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from portal.cli import portal
from tests.builders import SECRET
from tests.parts.process import free_port

AWS = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"), "eu-central-1")


def run(home: Path, *words: str, **changed: str) -> Result:
    told = {"PORTAL_HOME": str(home), "PORTAL_SECRET_KEY": SECRET, "PORTAL_DATABASE_URL": "sqlite:///portal.db"}
    return CliRunner().invoke(portal, [*words], env={**told, **AWS, **changed})


@pytest.mark.parametrize(
    ("erasures", "says"),
    [
        ("file:{}/not-mounted", "there is no folder {}/not-mounted, which PORTAL_ERASURES names"),
        ("s3://nowhere", "PORTAL_ERASURES: the store of bucket nowhere cannot be reached"),
    ],
)
def test_an_invalid_erasure_setting_stops_a_restore(tmp_path: Path, erasures: str, says: str):
    home, elsewhere, backups = tmp_path / "home", tmp_path / "elsewhere", str(tmp_path / "backups")
    home.mkdir()
    elsewhere.mkdir()
    assert run(home, "db", "upgrade").exit_code == 0
    assert run(home, "backup", backups).exit_code == 0
    wrong = {"PORTAL_ERASURES": erasures.format(tmp_path), "PORTAL_S3_ENDPOINT": f"http://127.0.0.1:{free_port()}"}
    done = run(elsewhere, "restore", backups, **wrong)
    assert done.exit_code == 1
    assert f"nothing was done: {says.format(tmp_path)}" in str(done.exception)
    assert not list(elsewhere.rglob("*.db"))
    assert run(elsewhere, "restore", backups).exit_code == 0
