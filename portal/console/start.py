"""GET /: how everything is, the worst first; also while the database is away."""

from flask import Blueprint, render_template

from portal.console.standing import Level, Part, companies, shared, without_database
from portal.errors import DatabaseUnavailable, SchemaOutdated
from portal.parts import Parts
from portal.web.access import private


def blueprint(parts: Parts) -> Blueprint:
    """The first page of the desk."""
    pages = Blueprint("start", __name__)

    @pages.get("/")
    @private
    def start() -> str:
        try:
            parts.require_schema()
            found, needed, away = companies(parts), shared(parts), False
        except (DatabaseUnavailable, SchemaOutdated) as error:
            found, away = without_database(parts), True
            needed = [Part("Database", Level.WRONG, f"{error}. Nothing that was acknowledged is lost.")]
        return render_template(
            "console/start.html",
            companies=found,
            parts=needed,
            away=away,
            worst=max([Level.WELL, *(one.level for one in found), *(one.level for one in needed)]),
        )

    return pages
