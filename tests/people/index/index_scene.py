"""The index with the real service behind it, without pages."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from portal.adapters.tracker_client.client import TrackerClient
from portal.background.sync.run import PassOptions, Report
from portal.people.index import index
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.tenants.model import Tenant, TrackerLink
from tests.builders import SECRET, Service, service
from tests.told_clock import ToldClock


@dataclass
class IndexScene:
    db: Database
    folder: Path
    clock: ToldClock = field(default_factory=ToldClock)
    seal: Seal = field(default_factory=lambda: Seal(SECRET))
    service: Service = field(init=False)
    keys: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.service = service(self.folder, self.clock)
        for slug in ("acme", "globex"):
            self.keys[slug] = self.service.add_tenant(slug, slug.title())

    def tenant(self, slug: str = "acme") -> Tenant:
        return Tenant(slug=slug, name=slug, tracker=TrackerLink("http://127.0.0.1", slug, self.keys[slug]))

    def load(self, *candidates: tuple[str, list[str]], slug: str = "acme") -> None:
        """Load candidates, each with an id and addresses."""
        self.clock.pass_time(1)
        lines = [
            {"kind": "candidate", "record": {"id": key, "emails": {"emails": [{"email": one} for one in emails]}}}
            for key, emails in candidates
        ]
        self.service.load(slug, [json.dumps(line) for line in lines])

    def delete(self, *keys: str) -> None:
        """Delete a candidate directly, because the interface has no such operation."""
        import sqlalchemy as sa

        from portal.tracker.tables import addresses, candidates

        with self.service.database.write() as connection:
            connection.execute(sa.delete(addresses).where(addresses.c.candidate_id.in_(keys)))
            connection.execute(sa.delete(candidates).where(candidates.c.id.in_(keys)))

    def sync(self, slug: str = "acme", **how: Any) -> Report:
        tenant = self.tenant(slug)
        link = tenant.tracker
        upstream = TrackerClient(
            base_url=link.base_url,
            slug=link.slug,
            api_key=link.api_key,
            clock=self.clock,
            transport=self.service.transport,
        )
        return index.sync(self.db, upstream, tenant, self.seal, self.clock, PassOptions(**how))

    def ids(self, email: str, slug: str = "acme") -> list[str]:
        return [one.candidate_id for one in index.with_address(self.db, self.seal, slug, email)]
