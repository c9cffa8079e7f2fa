"""Pictures of tenants; written by this package alone."""

from enum import StrEnum

import sqlalchemy as sa

from portal.db import Instant, metadata


class Kind(StrEnum):
    """What a picture is for."""

    LOGO = "logo"
    COVER = "cover"


pictures = sa.Table(
    "pictures",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("kind", sa.String(10), primary_key=True),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
    sa.Column("problem", sa.Text),
    sa.Column("digest", sa.String(32)),
    sa.Column("media_type", sa.String(30)),
    sa.Column("width", sa.Integer),
    sa.Column("height", sa.Integer),
    sa.Column("body", sa.LargeBinary),
)
"""address: where it is fetched from. due_at: when next. failures: in a row, with the last one's problem.

digest and what follows: of the last picture that was good, whatever came later; null before there was one.
"""
