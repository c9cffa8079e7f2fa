"""Emails, and the events counted for each mailbox; only this package writes them.

The content and address of an email are sealed, and null once it is settled. recipient: a keyed hash of the address.
about: the reference of the delivery that the email is about. mailbox: keyed hash of the mailbox, for emails that
anybody can cause. gathering: the id of the digest that this email is sent with, which is a row of its own.
"""

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata

letters = sa.Table(
    "letters",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("template", sa.String(40), nullable=False),
    sa.Column("locale", sa.String(20), nullable=False),
    sa.Column("recipient", sa.String(64), nullable=False),
    sa.Column("about", sa.String(32)),
    sa.Column("sealed", sa.Text),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("settled_at", Instant),
    sa.Column("mailbox", sa.String(64)),
    sa.Column("gathering", sa.String(32)),
)
sa.Index("ix_letters_tenant_template", letters.c.tenant, letters.c.template, letters.c.due_at)
sa.Index("ix_letters_recipient", letters.c.tenant, letters.c.recipient)
sa.Index("ix_letters_about", letters.c.about)
sa.Index("ix_letters_mailbox", letters.c.mailbox, letters.c.gathering, letters.c.due_at)
_GATHERED = sa.text("gathering IS NOT NULL")
sa.Index("ix_letters_gathering", letters.c.gathering, sqlite_where=_GATHERED, postgresql_where=_GATHERED)

mailbox_events = sa.Table(
    "mailbox_events",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("mailbox", sa.String(64), nullable=False),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("what", sa.String(10), nullable=False),
    sa.Column("network", sa.String(64), nullable=False),
    sa.Column("at", Instant, nullable=False),
)
sa.Index("ix_mailbox_events_mailbox", mailbox_events.c.mailbox, mailbox_events.c.what, mailbox_events.c.at)
sa.Index("ix_mailbox_events_at", mailbox_events.c.at)
