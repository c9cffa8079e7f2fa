"""tracker: see portal/__init__.py."""
