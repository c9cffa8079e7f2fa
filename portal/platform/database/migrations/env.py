"""Alembic's entry point for the portal's schema; Schema.upgrade passes the connection."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, transaction_per_migration=False)
context.run_migrations()
