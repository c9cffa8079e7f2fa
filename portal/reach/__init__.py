"""reach: see portal/__init__.py."""
