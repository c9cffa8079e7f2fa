"""attachments: see portal/__init__.py."""
