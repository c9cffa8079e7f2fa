"""A scene whose emails are written to a folder."""

import email
from collections.abc import Sequence
from email.message import EmailMessage
from email.policy import default
from functools import lru_cache
from pathlib import Path

from portal.adapters.mail.transports import open_mailer
from portal.background.mails import queue
from portal.background.mails.deliver import MailComposer, MailHandler
from portal.background.mails.render import Renderer
from portal.background.outbox import worker
from portal.background.outbox.retry_policy import Policy
from portal.tenants.model import Tenant
from tests.delivery.envelopes.desk import ACME, Desk

ROOT = Path(__file__).parents[3]


class SomeTenants:
    """A stand-in for Tenants with these tenants."""

    def __init__(self, tenants: Sequence[Tenant] = (ACME,)) -> None:
        self._tenants = {one.slug: one for one in tenants}

    def get(self, slug: str) -> Tenant | None:
        return self._tenants.get(slug)

    def require(self, slug: str) -> Tenant:
        return self._tenants[slug]


def handler(desk: Desk, tenants: Sequence[Tenant] = (ACME,)) -> MailHandler:
    composer = MailComposer(
        SomeTenants(tenants),
        open_mailer(f"file:{desk.folder / 'mail'}"),
        Renderer(ROOT / "templates", ROOT / "portal" / "translations"),
        desk.clock,
        base_url="https://careers.example",
    )
    return MailHandler(desk.db, desk.seal, composer, desk.clock)


def send_all(desk: Desk, tenants: Sequence[Tenant] = (ACME,)) -> list[EmailMessage]:
    """Send everything that is due; return the emails in the mail folder."""
    handlers = {queue.KIND: handler(desk, tenants)}
    while worker.step(desk.db, handlers, Policy(), desk.clock):
        pass
    files = sorted((desk.folder / "mail").glob("*.eml"), key=lambda p: p.stat().st_mtime_ns)
    return [_read(path, path.stat().st_mtime_ns) for path in files]


@lru_cache(maxsize=1_000)
def _read(path: Path, _written: int) -> EmailMessage:
    """Cached, because reading every email again after each sending took most of the time."""
    return email.message_from_bytes(path.read_bytes(), policy=default)


def text(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return body.get_content()
