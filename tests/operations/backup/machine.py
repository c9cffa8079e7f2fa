"""A machine with a portal, its backups, and another machine to which they are restored."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from tests.delivery.running_portal import RunningPortal
from tests.parts import command


@dataclass
class Backups:
    """Commands for the backups of one portal. home: their folder. databases: creates an empty database."""

    site: RunningPortal
    home: Path
    databases: Callable[[], str]

    def run(self, *words: str) -> CompletedProcess[str]:
        return command.portal(*words, environment=self.site.environment)

    def take(self, *options: str) -> Path:
        """Make a backup; return its folder."""
        return Path(self.site.portal("backup", str(self.home), *options).splitlines()[0])

    def lose_the_machine(self) -> None:
        """Delete everything except the backups and the settings, which the operator knows."""
        self.site.kill(*list(self.site.running))
        (self.site.folder / "key").unlink()
        for name in ("attachments", "tenants"):
            shutil.rmtree(self.site.folder / name, ignore_errors=True)
        self.site.environment |= {"PORTAL_DATABASE_URL": self.databases(), "TRACKER_DATABASE_URL": self.databases()}

    def restore(self) -> str:
        return self.site.portal("restore", str(self.home))
