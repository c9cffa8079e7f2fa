"""Letters that wait; written by this package alone. Address and facts are null once a letter is settled."""

import sqlalchemy as sa

from portal.db import Instant, metadata

letters = sa.Table(
    "letters",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("template", sa.String(40), nullable=False),
    sa.Column("locale", sa.String(20), nullable=False),
    sa.Column("recipient", sa.Text),
    sa.Column("facts", sa.Text),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("settled_at", Instant),
)
sa.Index("ix_letters_tenant_template", letters.c.tenant, letters.c.template, letters.c.created_at)
