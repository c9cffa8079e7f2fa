"""web: see portal/__init__.py."""
