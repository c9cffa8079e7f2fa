"""apply: see portal/__init__.py."""
