"""upstream: see portal/__init__.py."""
