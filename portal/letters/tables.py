"""Letters that wait; written by this package alone. What one says, and to whom, is sealed, and null once it is settled.

recipient: a keyed hash of the address. about: the reference of the delivery that a letter is about.
"""

import sqlalchemy as sa

from portal.db import Instant, metadata

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
)
sa.Index("ix_letters_tenant_template", letters.c.tenant, letters.c.template, letters.c.due_at)
sa.Index("ix_letters_recipient", letters.c.tenant, letters.c.recipient)
sa.Index("ix_letters_about", letters.c.about)
