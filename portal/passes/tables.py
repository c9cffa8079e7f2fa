"""Where each pass stands; written by this package alone."""

from enum import StrEnum

import sqlalchemy as sa

from portal.db import Instant, metadata


class ListName(StrEnum):
    """A list of the service that is followed."""

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
"""owner: the token of the last pass that wrote anything. watermark: until when everything was read, in the service's
own time. checked_at: when a pass last ended, however it did; succeeded_at, full_at: when a pass, a full one succeeded.
full_due_at: when deletions that were not believed are looked at again. failures: in a row, up to now. not_before: until
when the service asked to be left alone. rules: hash of what the tenant's file said at the last full pass.
"""
