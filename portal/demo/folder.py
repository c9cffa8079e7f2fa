"""The demo's data folder: made on first start, kept ever after."""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from portal import private
from portal.clock import Clock
from portal.demo import embedded
from portal.demo.vacancies import records
from portal.tracker import administration, loading
from portal.tracker.database import open_database

TENANTS = {"acme": "Acme Robotics", "globex": "Globex Talent"}
_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class DemoFolder:
    """Where everything of a demo lies. Secrets are files of mode 600, made here."""

    path: Path

    @property
    def tracker_url(self) -> str:
        """The service's database."""
        return f"sqlite:///{self.path / 'tracker.db'}"

    @property
    def portal_url(self) -> str:
        """The portal's database."""
        return f"sqlite:///{self.path / 'portal.db'}"

    @property
    def tenants(self) -> Path:
        """Tenant files."""
        return self.path / "tenants"

    def key_file(self, slug: str) -> Path:
        """Where a tenant's API key lies."""
        return self.path / "keys" / slug

    def secret_key(self) -> str:
        """The portal's own secret."""
        return (self.path / "secret-key").read_text(encoding="utf-8").strip()


def prepare(
    path: Path, *, portal_url: str, tracker_base_url: str, clock: Clock, progress: Callable[[str], None]
) -> DemoFolder:
    """Make what is missing. A step that was cut off is done again on the next start; what is there stays."""
    folder = DemoFolder(path.absolute())
    for name in ("tenants", "keys", "attachments", "mail"):
        private.make_folder(folder.path / name)
    folder.path.chmod(0o700)
    if not (folder.path / "secret-key").exists():
        private.write(folder.path / "secret-key", secrets.token_hex(32) + "\n")
    service = open_database(folder.tracker_url)
    try:
        for slug, name in TENANTS.items():
            if not folder.key_file(slug).exists():
                progress(f"Loading {name}")
                administration.ensure_tenant(service, clock, slug, name)
                loading.load(service, clock, slug, records(slug, clock.now()))
                private.write(folder.key_file(slug), administration.create_key(service, clock, slug) + "\n")
            _tenant_file(folder, slug, portal_url, tracker_base_url)
    finally:
        service.close()
    return folder


def _tenant_file(folder: DemoFolder, slug: str, portal_url: str, tracker_base_url: str) -> None:
    """Written once; later starts only bring the demo's own addresses up to date, so that what was edited stays."""
    path = folder.tenants / f"{slug}.toml"
    if path.exists():
        text = path.read_text(encoding="utf-8")
    else:
        text = (_DATA / f"{slug}.toml").read_text(encoding="utf-8").replace("{key_file}", str(folder.key_file(slug)))
    origins = f'origins = ["{portal_url}", "{embedded.own_site(portal_url)}"]'
    renewed = re.sub(r'(?m)^base_url = ".*"', f'base_url = "{tracker_base_url}"', text, count=1)
    renewed = re.sub(r'(?m)^origins = \["http://127.0.0.1:\d+", "http://localhost:\d+"\]$', origins, renewed)
    if renewed != text:
        private.write(path, renewed)
