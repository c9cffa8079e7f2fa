"""cli: see portal/__init__.py."""
