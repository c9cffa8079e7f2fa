"""Alembic's scripts that own the schema of the portal's database."""

from pathlib import Path

FOLDER = Path(__file__).parent
