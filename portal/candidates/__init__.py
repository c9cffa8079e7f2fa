"""candidates: see portal/__init__.py."""
