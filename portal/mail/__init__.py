"""mail: see portal/__init__.py."""
