"""A route of any of the four applications without bad input in the corpus fails here, with instructions."""

from pathlib import Path

import pytest
from flask import Flask

from portal.app import create_console
from portal.platform.clock import SystemClock
from portal.platform.config.settings import TrackerSettings
from portal.tracker.hiring.app import create_hiring, services_of
from tests import builders
from tests.hostile.corpus import cases_of, lacking
from tests.hostile.routes import BODIES, DESK, FILLED, HIRING, PORTAL, SERVICE, Route, routes_of


@pytest.fixture
def routes(tmp_path: Path) -> list[Route]:
    made = builders.portal(tmp_path / "portal")
    told = TrackerSettings(database_url=made.service.database.url, attachments=f"file:{tmp_path / 'attachments'}")
    hiring = create_hiring(services_of(told, builders.SECRET, made.service.database, SystemClock()))
    apps = {PORTAL: made.app, DESK: create_console(made.parts), SERVICE: made.service.app, HIRING: hiring}
    found = [route for name, app in apps.items() for route in routes_of(name, app)]
    made.parts.close()
    made.service.database.close()
    return found


def places_of(route: Route) -> set[str]:
    """Return the places of a route that need bad input."""
    has_body = route.method != "GET"
    return {"query", "header", "method"} | ({"path"} if route.parameters else set()) | ({"body"} if has_body else set())


def covered_places(route: Route) -> set[str]:
    """Return the places to which `make test` sends bad input."""
    found = {case.place for case in cases_of(route, 0) if case.is_daily}
    return found | ({"body"} if found & {"field", "framing", "json", "file"} else set())


def test_every_route_gets_bad_input(routes: list[Route]):
    assert len(routes) > 150
    assert lacking(routes) == []
    assert [str(route) for route in routes if not places_of(route) <= covered_places(route)] == []


def test_listed_routes_exist(routes: list[Route]):
    posts = {(route.app, route.rule) for route in routes if route.method == "POST"}
    assert {(app, rule) for app, bodies in BODIES.items() for rule in bodies} == posts
    named = {(route.app, name) for route in routes for name in route.parameters}
    assert {(app, name) for app, names in FILLED.items() for name in names} == named


def test_an_untested_new_route_is_reported():
    app = Flask("new")
    app.add_url_rule("/<slug>/plain", "plain", lambda slug: slug)
    app.add_url_rule("/<slug>/of/<stranger>", "of", lambda slug, stranger: slug + stranger)
    app.add_url_rule("/<slug>/posted", "posted", lambda slug: slug, methods=["POST"])
    new = [route for route in routes_of(PORTAL, app) if "static" not in route.rule]
    assert lacking(new) == [
        "portal: GET /<slug>/of/<stranger>: FILLED and the premises have no stranger",
        "portal: POST /<slug>/posted: BODIES does not say what is posted to it",
    ]
    assert {route.rule for route in new if places_of(route) <= covered_places(route)} == {"/<slug>/plain"}
