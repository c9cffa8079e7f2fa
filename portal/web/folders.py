"""Where templates, static files and catalogues lie."""

from pathlib import Path

from portal.shipped import folder

TEMPLATES = folder("templates")
STATIC = folder("static")
TRANSLATIONS = Path(__file__).parents[1] / "translations"
