"""There is no end to searches and parameters that somebody can invent: they take nobody's page out of the cache."""

from pathlib import Path

import pytest

from tests.site.site import Site

MANY = 20
"""More than fit into this cache, even without a part of their own."""


@pytest.fixture
def small(tmp_path: Path) -> Site:
    site = Site(tmp_path, max_bytes=100_000)
    site.tenant("acme")
    site.tenant("globex", "Globex")
    return site


def made_again(site: Site, *paths: str) -> list[str]:
    """Which of these pages are made for the next visitor, whose address the gateway does not know."""
    site.made.clear()
    for path in paths:
        site.get(f"{path}?q=again")
    return site.made


def test_searches_evict_searches_alone(small: Site):
    small.get("/acme/jobs/1")
    for number in range(MANY):
        small.get(f"/acme/jobs/search-{number}")
    assert made_again(small, "/acme/jobs/1", f"/acme/jobs/search-{MANY - 1}", "/acme/jobs/search-0") == ["search-0"]


def test_those_of_one_company_evict_its_own(small: Site):
    small.get("/globex/jobs/search-1")
    for number in range(MANY):
        small.get(f"/acme/jobs/search-{number}")
    assert made_again(small, "/globex/jobs/search-1") == []


def test_a_search_larger_than_their_part_is_sent_and_not_kept(tmp_path: Path):
    site = Site(tmp_path, max_bytes=12_000)
    site.tenant("acme")
    assert site.get("/acme/jobs/search").status_code == 200
    assert made_again(site, "/acme/jobs/search") == ["search"]


def test_parameters_that_mean_nothing_take_no_place_in_the_gateway(small: Site):
    kept = small.app.wsgi_app._cache._queries
    for number in range(3):
        assert small.get(f"/acme/jobs/1?invented{number}=1&q=").status_code == 200
    assert not kept
    small.get("/acme/jobs/1?utm_source=board&lang=en&facet-team=a")
    assert len(kept) == 1
    assert small.made == ["1"]
