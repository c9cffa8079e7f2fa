"""browse: see portal/__init__.py."""
