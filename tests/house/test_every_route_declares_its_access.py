"""A route without an access marker, and a GET that could change something, fail here."""

from pathlib import Path

import pytest

from portal.site.routing.access import access_of
from tests import builders


@pytest.fixture
def app(tmp_path: Path):
    return builders.portal(tmp_path).app


def test_every_route_has_an_access_marker(app):
    unmarked = [rule.rule for rule in app.url_map.iter_rules() if access_of(app.view_functions[rule.endpoint]) is None]
    assert not unmarked


def test_routes_have_no_unneeded_methods(app):
    """For example, TRACE returns what a browser sent."""
    methods = {method for rule in app.url_map.iter_rules() for method in rule.methods or ()}
    assert methods == {"GET", "HEAD", "OPTIONS", "POST"}
    assert app.test_client().open("/healthz", method="TRACE").status_code == 405


def test_routes_match_the_contract(app):
    known = {
        "/",
        "/<slug>/",
        "/<slug>/theme.css",
        "/<slug>/jobs/<posting_id>",
        "/<slug>/jobs/<posting_id>/apply",
        "/<slug>/applications/<reference>",
        "/healthz",
        "/readyz",
        "/.well-known/security.txt",
    }
    assert known <= {rule.rule for rule in app.url_map.iter_rules()}
