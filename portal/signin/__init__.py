"""signin: see portal/__init__.py."""
