"""Alembic's entry point for the service's schema; Database.upgrade provides the connection."""

import sqlalchemy as sa
from alembic import context

from portal.platform.database.db import NAMING

connection = context.config.attributes["connection"]
# Only the naming convention: migrations do not import the current table definitions.
names = sa.MetaData(naming_convention=NAMING)
context.configure(connection=connection, target_metadata=names, transaction_per_migration=False)
context.run_migrations()
