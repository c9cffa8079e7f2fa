"""embed: see portal/__init__.py."""
