"""The portal as a WSGI application: slices around the parts."""

from collections.abc import Mapping
from pathlib import Path

from flask import Flask

from portal import apply, browse, profile
from portal.clock import SystemClock
from portal.front import serving
from portal.front.serving import Served
from portal.front.tied import end_with_parent
from portal.parts import Parts
from portal.settings import Settings
from portal.web import assemble, health, metrics

_HERE = Path(__file__).parent


def _folder(name: str) -> Path:
    """Beside the package in a checkout, inside it in a wheel."""
    inside = _HERE / name
    return inside if inside.is_dir() else _HERE.parent / name


TEMPLATES = _folder("templates")
STATIC = _folder("static")
TRANSLATIONS = _HERE / "translations"


def create_app(parts: Parts) -> Flask:
    """Every page, wired to these parts; the schema is not checked."""
    app = Flask("portal", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    slices = (browse, apply, profile, health, metrics)
    assemble(app, parts, [one.blueprint(parts) for one in slices])
    return app


def served() -> Served:
    """What the production server runs in each process. Raises SettingsError, SchemaOutdated."""
    end_with_parent()
    settings = Settings.from_env()
    app = create_app(Parts.waiting(settings, clock=SystemClock()))
    return serving.served(app, threads=settings.threads, of_network=settings.bodies_per_network)


def from_env(environ: Mapping[str, str] | None = None) -> Flask:
    """What a server of WSGI alone imports. Raises SettingsError, SchemaOutdated."""
    return create_app(Parts.waiting(Settings.from_env(environ), clock=SystemClock()))
