"""Tables of the hiring pages; only this package writes them."""

import sqlalchemy as sa

from portal.platform.database.db import Instant
from portal.tracker.tables import ID, metadata

colleagues = sa.Table(
    "colleagues",
    metadata,
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
    sa.Column("email", sa.String(320), primary_key=True),
    sa.Column("role", sa.String(10), nullable=False),
    sa.Column("notify", sa.String(10), nullable=False),
    sa.Column("locale", sa.String(20)),
    sa.Column("added_at", Instant, nullable=False),
    sa.Column("seen_at", Instant),
)
"""email: in lower case. locale: the language of pages and emails, if chosen. seen_at: last signed in."""

hiring_log = sa.Table(
    "hiring_log",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("by", sa.String(320), nullable=False),
    sa.Column("what", sa.String(30), nullable=False),
    sa.Column("about", sa.String(320)),
    sqlite_autoincrement=True,
)
"""by: a colleague's address. about: another colleague's address, or the id of a job or application."""
sa.Index("ix_hiring_log_tenant", hiring_log.c.tenant_id, hiring_log.c.id)

hiring_settings = sa.Table(
    "hiring_settings",
    metadata,
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
    sa.Column("sender", sa.String(320)),
    sa.Column("retention_days", sa.Integer, nullable=False, server_default="183"),
    sa.Column("notified_turn", Instant, nullable=False),
    sa.Column("digest_turn", Instant, nullable=False),
    sa.Column("digest_at", Instant, nullable=False),
)
"""One row for each company with colleagues. sender: as in a From header. notified_turn, digest_turn: the modification
time (revisions.py) up to which colleagues were notified of applications, one by one and daily; digest_at: the next
time."""

reply_templates = sa.Table(
    "reply_templates",
    metadata,
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
    sa.Column("kind", sa.String(20), primary_key=True),
    sa.Column("locale", sa.String(20), primary_key=True),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)
"""A company's own texts of replies; without a row, this release's texts apply."""

replies = sa.Table(
    "replies",
    metadata,
    sa.Column("letter", sa.String(32), primary_key=True),
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), nullable=False),
    sa.Column("application_id", sa.String(200), nullable=False),
    sa.Column("batch", sa.String(32)),
    sa.Column("by", sa.String(320), nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("undone_at", Instant),
    sa.Column("outcome", sa.String(10)),
)
"""Replies to applicants. letter: the email's id. batch: the form's id, of replies sent together. outcome:
the state of its outbox row after the latest attempt, NULL before the first; discarded: it waited when an earlier state
of the database was restored."""
sa.Index("ix_replies_application", replies.c.tenant_id, replies.c.application_id)
sa.Index("ix_replies_batch", replies.c.batch)
sa.Index("ix_replies_due", replies.c.tenant_id, replies.c.due_at)

files_to_delete = sa.Table(
    "files_to_delete",
    metadata,
    sa.Column("key", sa.String(200), primary_key=True),
)
"""Files of erased people that are still in the storage."""

retention_notices = sa.Table(
    "retention_notices",
    metadata,
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
    sa.Column("vacancy_id", ID, primary_key=True),
    sa.Column("told_at", Instant, nullable=False),
)
"""Jobs whose applications will be erased. told_at: when the owners were emailed about it."""

job_drafts = sa.Table(
    "job_drafts",
    metadata,
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
    sa.Column("id", ID, primary_key=True),
    sa.Column("is_changed", sa.Boolean, nullable=False),
    sa.Column("base", Instant),
    sa.Column("edited_by", sa.String(320), nullable=False),
    sa.Column("edited_at", Instant, nullable=False),
    sa.Column("fields", sa.Text, nullable=False),
)
"""One draft per job, which keeps the Markdown that was published. id: that of the vacancy, once there is one. fields:
JSON of job_form.JobFields. base: the modification time of the vacancy when it was saved. is_changed: not published."""

applications_seen = sa.Table(
    "applications_seen",
    metadata,
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
    sa.Column("vacancy_id", ID, primary_key=True),
    sa.Column("at", Instant, nullable=False),
)
"""at: up to this arrival (applications.turn), colleagues marked a job's applications as seen. Later ones are new."""

_APPLICATION = ["applications.tenant_id", "applications.id"]
"""Erasing an application also deletes colleagues' notes and ratings of it."""

notes = sa.Table(
    "notes",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tenant_id", sa.Integer, nullable=False),
    sa.Column("application_id", ID, nullable=False),
    sa.Column("by", sa.String(320), nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(["tenant_id", "application_id"], _APPLICATION, ondelete="CASCADE"),
    sqlite_autoincrement=True,
)
sa.Index("ix_notes_application", notes.c.tenant_id, notes.c.application_id, notes.c.id)

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("tenant_id", sa.Integer, primary_key=True),
    sa.Column("application_id", ID, primary_key=True),
    sa.Column("by", sa.String(320), primary_key=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("rating", sa.Integer, nullable=False),
    sa.ForeignKeyConstraint(["tenant_id", "application_id"], _APPLICATION, ondelete="CASCADE"),
)
"""rating: from 1 to 5."""
