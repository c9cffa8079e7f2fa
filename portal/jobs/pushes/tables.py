"""What search engines and webhooks have been notified of, by posting; only this package writes these tables."""

from enum import StrEnum

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata


class Channel(StrEnum):
    """The recipient of a notice; also the kind of its row in the outbox."""

    INDEX_NOW = "index_now"
    GOOGLE = "google_index"
    JOB_WEBHOOK = "job_webhook"
    """An address of the tenant's own; webhooks.py."""


pushes = sa.Table(
    "pushes",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("channel", sa.String(20), primary_key=True),
    sa.Column("posting_id", sa.Text, primary_key=True),
    sa.Column("is_open", sa.Boolean, nullable=False),
    sa.Column("changed_at", Instant, nullable=False),
    sa.Column("batch", sa.String(32), nullable=False),
    sa.Index("ix_pushes_batch", "batch"),
)
"""The latest notice of each posting, sent or queued. batch: the subject of its row in the outbox, '' if it has none."""

push_looks = sa.Table(
    "push_looks",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("channel", sa.String(20), primary_key=True),
    sa.Column("version", sa.String(64), nullable=False),
)
"""The version of a tenant's mirror that `pushes` covers completely; '' while some changes are left for later.

A webhook that answered 410 has a special version here (webhooks.py). A webhook that has failed for a day has a row with
the channel FAILING. One whose tenant file is missing has a row with the channel MISSING; its version is the time since
when.
"""
FAILING, MISSING = "job_webhook_failing", "job_webhook_missing"
