"""Pictures of tenants. Only this package writes the table."""

from enum import StrEnum

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata


class PictureKind(StrEnum):
    """The use of a picture, which its limits depend on."""

    LOGO = "logo"
    COVER = "cover"
    PERSON = "person"


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
"""kind: a slot, as in stored_pictures.addresses.

address: the URL it is fetched from. due_at: when next. failures: consecutive ones; problem: of the last.

digest and the columns after it: of the last valid picture, whatever was fetched later; null before there was one.
"""
