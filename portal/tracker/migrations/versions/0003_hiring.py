"""Colleagues who use the hiring pages, what they did, and the outbox, emails and sessions that these pages use.

The tables of the outbox, emails and sessions are those of the portal's own database, of the release that this is part
of.
"""

import sqlalchemy as sa
from alembic import op

from portal.platform.database.db import NAMING

revision = "0003"
down_revision = "0002"

_INSTANT = sa.BigInteger
_metadata = sa.MetaData(naming_convention=NAMING)


def _table(name: str, *columns: sa.Column[object] | sa.Constraint, numbered: bool = False) -> sa.Table:
    return sa.Table(name, _metadata, *columns, sqlite_autoincrement=numbered)


_tenants = _table("tenants", sa.Column("id", sa.Integer, primary_key=True))


def upgrade() -> None:
    """Create the tables."""
    _hiring()
    _outbox()
    _emails()
    _sign_in()
    _metadata.create_all(op.get_bind(), tables=[one for one in _metadata.tables.values() if one is not _tenants])


def _hiring() -> None:
    _table(
        "colleagues",
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
        sa.Column("email", sa.String(320), primary_key=True),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("notify", sa.String(10), nullable=False),
        sa.Column("locale", sa.String(20)),
        sa.Column("added_at", _INSTANT, nullable=False),
        sa.Column("seen_at", _INSTANT),
    )
    log = _table(
        "hiring_log",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("by", sa.String(320), nullable=False),
        sa.Column("what", sa.String(30), nullable=False),
        sa.Column("about", sa.String(320)),
        numbered=True,
    )
    sa.Index("ix_hiring_log_tenant", log.c.tenant_id, log.c.id)


def _outbox() -> None:
    outbox = _table(
        "outbox",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("lane", sa.String(100), nullable=False),
        sa.Column("order_key", sa.String(64)),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("due_at", _INSTANT, nullable=False),
        sa.Column("lease_until", _INSTANT),
        sa.Column("fence", sa.Integer, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("refusals", sa.Integer, nullable=False, server_default="0"),
        sa.Column("maybe_arrived", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("settled_at", _INSTANT),
        sa.Column("outcome", sa.String(40)),
        sa.Column("held_for", sa.String(12)),
        sa.Column("worker", sa.String(16)),
        sa.Column("resend_at", _INSTANT),
        sa.UniqueConstraint("kind", "subject"),
    )
    for name, columns, condition in (
        ("claimable", (outbox.c.due_at, outbox.c.id), "state IN ('due', 'retry', 'ambiguous')"),
        ("held", (outbox.c.due_at, outbox.c.id), "state = 'held'"),
        ("sending", (outbox.c.lease_until,), "state = 'sending'"),
        ("settled", (outbox.c.settled_at,), "settled_at IS NOT NULL"),
    ):
        where = sa.text(condition)
        sa.Index(f"ix_outbox_{name}", *columns, sqlite_where=where, postgresql_where=where)
    sa.Index("ix_outbox_order_key", outbox.c.tenant, outbox.c.order_key)
    _table(
        "outbox_lanes",
        sa.Column("lane", sa.String(100), primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
        sa.Column("paused_until", _INSTANT),
        sa.Column("broken_since", _INSTANT),
        sa.Column("reason", sa.String(40)),
        sa.Column("failing_since", _INSTANT),
    )
    _table(
        "outbox_workers",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("since", _INSTANT, nullable=False),
        sa.Column("seen_at", _INSTANT, nullable=False),
        sa.Column("started_at", _INSTANT),
        sa.Column("load", sa.Text),
    )


def _emails() -> None:
    letters = _table(
        "letters",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("template", sa.String(40), nullable=False),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("recipient", sa.String(64), nullable=False),
        sa.Column("about", sa.String(32)),
        sa.Column("sealed", sa.Text),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("due_at", _INSTANT, nullable=False),
        sa.Column("settled_at", _INSTANT),
        sa.Column("mailbox", sa.String(64)),
        sa.Column("gathering", sa.String(32)),
    )
    c = letters.c
    sa.Index("ix_letters_tenant_template", c.tenant, c.template, c.due_at)
    sa.Index("ix_letters_recipient", c.tenant, c.recipient)
    sa.Index("ix_letters_about", c.about)
    sa.Index("ix_letters_mailbox", c.mailbox, c.gathering, c.due_at)
    where = sa.text("gathering IS NOT NULL")
    sa.Index("ix_letters_gathering", c.gathering, sqlite_where=where, postgresql_where=where)
    events = _table(
        "mailbox_events",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("mailbox", sa.String(64), nullable=False),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("what", sa.String(10), nullable=False),
        sa.Column("network", sa.String(64), nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
    )
    sa.Index("ix_mailbox_events_mailbox", events.c.mailbox, events.c.what, events.c.at)
    sa.Index("ix_mailbox_events_at", events.c.at)


def _sign_in() -> None:
    asked = _table(
        "code_requests",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("purpose", sa.String(10), nullable=False),
        sa.Column("holder", sa.String(64), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("sealed_address", sa.Text, nullable=False),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("asked_at", _INSTANT, nullable=False),
        sa.Column("expires_at", _INSTANT, nullable=False),
        sa.Column("code", sa.String(64)),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("used_at", _INSTANT),
        numbered=True,
    )
    sa.Index("ix_code_requests_holder", asked.c.tenant, asked.c.holder)
    sa.Index("ix_code_requests_address", asked.c.tenant, asked.c.address)
    sessions = _table(
        "sessions",
        sa.Column("token", sa.String(64), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("sealed_address", sa.Text, nullable=False),
        sa.Column("candidate", sa.String(64)),
        sa.Column("opened_at", _INSTANT, nullable=False),
        sa.Column("used_at", _INSTANT, nullable=False),
    )
    sa.Index("ix_sessions_address", sessions.c.tenant, sessions.c.address)
