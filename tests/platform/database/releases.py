"""Simulated releases that consist only of migrations, each in a separate folder."""

from pathlib import Path

import portal.platform.database.migrations

_SCRIPT = """
import sqlalchemy as sa
from alembic import op

revision = {revision!r}
down_revision = {before!r}
branch_labels = None
depends_on = None
{runs_from}

def upgrade() -> None:
    {does}
"""


def release(folder: Path, *revisions: str, runs_from: str | None = None, on: Path | None = None, **does: str) -> Path:
    """Make a release with these migrations in order. runs_from: as the last one states. does: what each does,
    by default nothing. on: the folder of a release whose migrations come first, up to its newest.
    """
    versions = folder / "versions"
    versions.mkdir(parents=True)
    (folder / "env.py").write_text((Path(portal.platform.database.migrations.__path__[0]) / "env.py").read_text())
    before = None
    for script in sorted((on / "versions").glob("0*.py")) if on else []:
        (versions / script.name).write_text(script.read_text())
        before = script.name.partition("_")[0]
    for revision in revisions:
        said = f"runs_from = {runs_from!r}" if runs_from and revision == revisions[-1] else ""
        text = _SCRIPT.format(revision=revision, before=before, runs_from=said, does=does.get(revision, "pass"))
        (versions / f"{revision}.py").write_text(text)
        before = revision
    return folder
