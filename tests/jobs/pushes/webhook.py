"""A company whose own website is notified of its jobs, and the requests that arrived there."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portal.worker import WorkerThreads
from tests.jobs.pushes.engines import SearchEngines
from tests.site.browse.jobs import Careers, vacancy
from tests.site.feeds.scene import found_site

KEY = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(KEY).decode()


def verified(headers: dict[str, str], body: str, key: bytes = KEY) -> dict[str, Any]:
    """Return the event if one of its signatures is valid according to the specification of Standard Webhooks."""
    names = {name.lower(): value for name, value in headers.items()}
    signed = f"{names['webhook-id']}.{names['webhook-timestamp']}.{body}".encode()
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert right in names["webhook-signature"].split(" ")
    found: dict[str, Any] = json.loads(body)
    return {"webhook-id": names["webhook-id"], **found}


@dataclass
class WebhookScene:
    """Acme, with one job that was open before its webhook was set up."""

    acme: Careers
    heard: SearchEngines
    folder: Path

    def check(self, *, deliver: bool = True) -> None:
        self.acme.portal.work.queue_pushes()
        if deliver:
            self.acme.portal.work.deliver_what_is_due()

    def publish(self, *lines: str, deliver: bool = True) -> None:
        self.acme.publish(*lines)
        self.check(deliver=deliver)

    def events(self) -> list[dict[str, Any]]:
        found = [verified(headers, body) for path, headers, body in self.heard.came if path == "/hook"]
        self.heard.came.clear()
        return found

    def told(self) -> list[tuple[str, str]]:
        return [(event["type"], event["data"]["id"]) for event in self.events()]

    def restart_worker(self) -> None:
        self.acme.portal.work = WorkerThreads(self.acme.portal.parts)

    def write(self, table: str) -> None:
        """Replace the tenant file's last section."""
        file = self.acme.portal.parts.settings.tenants / "acme.toml"
        before = file.read_text(encoding="utf-8").partition("[webhooks]")[0]
        file.write_text(before + table, encoding="utf-8")
        self.acme.clock.pass_time(2)

    def table(self, port: int = 0, more: str = "") -> str:
        (self.folder / "secret").write_text(SECRET, encoding="utf-8")
        address = f"http://127.0.0.1:{port or self.heard.port}/hook"
        return f'[webhooks]\njobs = "{address}"\nsecret = "file:{self.folder}/secret"\n{more}'


def open_webhooks(folder: Path, heard: SearchEngines, database_url: str | None, **settings: object) -> WebhookScene:
    made = WebhookScene(found_site(folder, database_url=database_url, **settings), heard, folder)
    made.write(made.table())
    made.publish(vacancy("w0", "Founder"))
    return made
