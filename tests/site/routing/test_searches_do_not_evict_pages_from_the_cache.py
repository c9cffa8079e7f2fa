"""Anybody can invent endless searches and parameters: they evict no other page from the cache."""

from pathlib import Path

import pytest

from tests.site.small_site import Site

MANY = 20
"""More than fit into this cache, even without a part of their own."""


@pytest.fixture
def small(tmp_path: Path) -> Site:
    site = Site(tmp_path, max_bytes=100_000)
    site.tenant("acme")
    site.tenant("globex", "Globex")
    return site


def made_again(site: Site, *paths: str) -> list[str]:
    """Return which of these pages are rendered for another visitor, whose address the gateway has not seen."""
    site.made.clear()
    for path in paths:
        site.get(f"{path}?q=again")
    return site.made


def test_searches_evict_only_searches(small: Site):
    small.get("/acme/jobs/1")
    for number in range(MANY):
        small.get(f"/acme/jobs/search-{number}")
    assert made_again(small, "/acme/jobs/1", f"/acme/jobs/search-{MANY - 1}", "/acme/jobs/search-0") == ["search-0"]


def test_searches_of_one_company_evict_only_its_own(small: Site):
    small.get("/globex/jobs/search-1")
    for number in range(MANY):
        small.get(f"/acme/jobs/search-{number}")
    assert made_again(small, "/globex/jobs/search-1") == []


def test_a_search_larger_than_its_share_is_sent_and_not_cached(tmp_path: Path):
    site = Site(tmp_path, max_bytes=12_000)
    site.tenant("acme")
    assert site.get("/acme/jobs/search").status_code == 200
    assert made_again(site, "/acme/jobs/search") == ["search"]


def test_unknown_parameters_take_no_space_in_the_gateway(small: Site):
    kept = small.app.wsgi_app._cache._queries
    for number in range(3):
        assert small.get(f"/acme/jobs/1?invented{number}=1&q=").status_code == 200
    assert not kept
    small.get("/acme/jobs/1?utm_source=board&lang=en&facet-team=a")
    assert len(kept) == 1
    assert small.made == ["1"]
