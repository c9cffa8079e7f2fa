"""Alembic's entry for the service's schema; the connection comes from Database.upgrade."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, transaction_per_migration=False)
context.run_migrations()
