"""Tables of alerts; only this package writes them.

alerts: sealed holds, encrypted, the address, the search as in the list's URL, and the search in words; recipient and
same are keyed hashes: of the address at this tenant, and of address and search. due_at: when to look for new jobs next;
null before confirmation. seen: the number in alert_openings up to which jobs were announced. ends_at: when it is
deleted. warned_at: when the last mail, which says that it ends, was queued.

alert_openings: a job's row in the mirror, with the number of the check that first found it open. alert_looks: a
tenant's last check: the version of its mirror, and the highest number.
"""

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata

alerts = sa.Table(
    "alerts",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("recipient", sa.String(64), nullable=False),
    sa.Column("same", sa.String(64), nullable=False),
    sa.Column("sealed", sa.Text, nullable=False),
    sa.Column("locale", sa.String(20), nullable=False),
    sa.Column("every", sa.String(10), nullable=False),
    sa.Column("asked_at", Instant, nullable=False),
    sa.Column("confirmed_at", Instant),
    sa.Column("seen", sa.Integer, nullable=False, server_default="0"),
    sa.Column("due_at", Instant),
    sa.Column("ends_at", Instant, nullable=False),
    sa.Column("warned_at", Instant),
)
sa.Index("ix_alerts_recipient", alerts.c.tenant, alerts.c.recipient)
sa.Index("ix_alerts_same", alerts.c.same, unique=True)
sa.Index("ix_alerts_due_at", alerts.c.due_at)
sa.Index("ix_alerts_ends_at", alerts.c.ends_at)

alert_looks = sa.Table(
    "alert_looks",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("version", sa.String(64), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
)

alert_openings = sa.Table(
    "alert_openings",
    metadata,
    sa.Column("row", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
)
sa.Index("ix_alert_openings_number", alert_openings.c.tenant, alert_openings.c.number)
