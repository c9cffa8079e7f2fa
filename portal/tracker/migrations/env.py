"""Alembic's entry for the service's schema; the connection comes from Database.upgrade."""

import sqlalchemy as sa
from alembic import context

from portal.db import NAMING

connection = context.config.attributes["connection"]
# Of the tables only their names' convention: a migration says by itself what it makes.
names = sa.MetaData(naming_convention=NAMING)
context.configure(connection=connection, target_metadata=names, transaction_per_migration=False)
context.run_migrations()
