"""GET /: how everything is, the worst first; also while the database is away."""

from flask import Blueprint, render_template

from portal.console.standing import Level, companies, shared, without_database
from portal.errors import DatabaseUnavailable, SchemaOutdated
from portal.parts import Parts
from portal.standing.part import Name, State
from portal.standing.standing import Standing
from portal.web.access import private


def blueprint(parts: Parts, standing: Standing) -> Blueprint:
    """The first page of the desk."""
    pages = Blueprint("start", __name__)

    @pages.get("/")
    @private
    def start() -> str:
        known = standing.of_each()
        away = any(one.name is Name.DATABASE and one.state is State.DOWN for one in known)
        try:  # what does not answer is not asked once more: nobody waits twice
            found = without_database(parts) if away else companies(parts)
        except (DatabaseUnavailable, SchemaOutdated):
            found, away = without_database(parts), True
        needed = shared(known)
        return render_template(
            "console/start.html",
            companies=found,
            parts=needed,
            away=away,
            worst=max([Level.WELL, *(one.level for one in found), *(one.level for one in needed)]),
        )

    return pages
