"""The state of each list that is synced; only this package writes it."""

from enum import StrEnum

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata


class ListName(StrEnum):
    """A list of the service that is synced."""

    VACANCIES = "vacancies"
    """§4.1."""
    CANDIDATES = "candidates"
    """§4.2."""


passes = sa.Table(
    "passes",
    metadata,
    sa.Column("list", sa.String(20), primary_key=True),
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("owner", sa.String(32)),
    sa.Column("watermark", Instant),
    sa.Column("checked_at", Instant),
    sa.Column("succeeded_at", Instant),
    sa.Column("full_at", Instant),
    sa.Column("full_due_at", Instant),
    sa.Column("failed_at", Instant),
    sa.Column("failing_since", Instant),
    sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
    sa.Column("not_before", Instant),
    sa.Column("rules", sa.String(32)),
    sa.Column("error", sa.Text),
    sa.Column("alarm", sa.Text),
)
"""owner: the token of the last pass that wrote anything. watermark: until when everything was read, by the service's
clock. checked_at: when a pass last ended, successfully or not; succeeded_at, full_at: when a pass, and a full pass,
last succeeded. full_due_at: when deletions that were not plausible are checked again. failures: in a row, until now.
not_before: until when the service asked not to be called. rules: hash of the relevant settings in the tenant file at
the last full pass.
"""
