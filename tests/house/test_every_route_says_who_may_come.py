"""A route without an access marker, and a GET that could change something, fail here."""

from pathlib import Path

import pytest

from portal.site.routing.access import access_of
from tests import builders


@pytest.fixture
def app(tmp_path: Path):
    return builders.portal(tmp_path).app


def test_every_route_is_marked(app):
    unmarked = [rule.rule for rule in app.url_map.iter_rules() if access_of(app.view_functions[rule.endpoint]) is None]
    assert not unmarked


def test_routes_are_those_of_the_contract(app):
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
