"""outbox: see portal/__init__.py."""
