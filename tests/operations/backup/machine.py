"""A machine with a portal on it, its backups, and another machine that they are restored to."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from tests.delivery.premises import Premises
from tests.parts import command


@dataclass
class Backups:
    """Commands on the backups of one portal. home: their folder. databases: makes the address of an empty database."""

    site: Premises
    home: Path
    databases: Callable[[], str]

    def run(self, *words: str) -> CompletedProcess[str]:
        return command.portal(*words, environment=self.site.environment)

    def take(self, *options: str) -> Path:
        """Make one; its folder."""
        return Path(self.site.portal("backup", str(self.home), *options).splitlines()[0])

    def lose_the_machine(self) -> None:
        """Nothing is left of it but the backups and what its operator knows: the settings."""
        self.site.kill(*list(self.site.running))
        (self.site.folder / "key").unlink()
        for name in ("attachments", "tenants"):
            shutil.rmtree(self.site.folder / name, ignore_errors=True)
        self.site.environment |= {"PORTAL_DATABASE_URL": self.databases(), "TRACKER_DATABASE_URL": self.databases()}

    def restore(self) -> str:
        return self.site.portal("restore", str(self.home))
