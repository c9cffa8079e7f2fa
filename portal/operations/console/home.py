"""GET /: the state of everything, worst first; also while the database is unavailable."""

from flask import Blueprint, render_template

from portal.operations.console.status import Level, companies, shared, without_database
from portal.operations.health.part import PartName, PartState
from portal.operations.health.portal_health import PortalHealth
from portal.platform.errors import DatabaseUnavailable, SchemaOutdated
from portal.services import Services
from portal.site.routing.access import private


def blueprint(services: Services, standing: PortalHealth) -> Blueprint:
    """Return the blueprint of the start page."""
    pages = Blueprint("start", __name__)

    @pages.get("/")
    @private
    def start() -> str:
        known = standing.of_each()
        away = any(one.name is PartName.DATABASE and one.state is PartState.DOWN for one in known)
        try:  # do not query a database that the probe found down: the page would wait twice
            found = without_database(services) if away else companies(services)
        except (DatabaseUnavailable, SchemaOutdated):
            found, away = without_database(services), True
        needed = shared(known)
        return render_template(
            "console/start.html",
            companies=found,
            parts=needed,
            away=away,
            worst=max([Level.WELL, *(one.level for one in found), *(one.level for one in needed)]),
        )

    return pages
