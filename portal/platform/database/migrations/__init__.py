"""Alembic migrations of the portal's schema."""
