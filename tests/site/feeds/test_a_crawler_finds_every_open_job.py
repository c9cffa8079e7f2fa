"""Sitemaps list every open job in each language with its modification time, and no closed job."""

import xml.etree.ElementTree as ET
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
import xmlschema

from portal.jobs.tables import NEVER, Publication, mirrors, vacancies
from portal.site.feeds import discovery
from portal.tenants.addresses import addresses
from tests.parts.missing import file
from tests.site.browse.jobs import vacancy
from tests.site.feeds.scene import found_site

SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def entries(text: str) -> dict[str, str | None]:
    """Return address → lastmod."""
    root = ET.fromstring(text)  # noqa: S314  the portal's own document
    found = [(one.findtext(f"{SPACE}loc"), one.findtext(f"{SPACE}lastmod")) for one in root]
    assert len(dict(found)) == len(found)
    return dict(found)


def base(careers):
    return careers.portal.parts.settings.base_url


def test_list_and_open_jobs_are_listed_in_each_language(careers):
    careers.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"), vacancy("d1", "Draft", stage="Draft"))
    answer = careers.get("/acme/sitemap.xml")
    assert answer.headers["Content-Type"].startswith("application/xml")
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert set(entries(answer.text)) == {
        f"{base(careers)}/acme/{path}{lang}" for path in ("", "jobs/w1", "jobs/w2") for lang in ("", "?lang=de")
    }


def test_the_portals_sitemap_names_those_of_the_companies(careers):
    careers.portal.add_tenant("globex", "Globex")
    careers.portal.add_tenant("ownhost", "Own", 'site.hosts = ["jobs.own.example"]')
    assert set(entries(careers.get("/sitemap.xml").text)) == {
        f"{base(careers)}/{slug}/sitemap.xml" for slug in ("acme", "globex")
    }


def test_lastmod_is_the_time_of_the_change_and_not_of_the_request(careers):
    careers.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"))
    first = entries(careers.get("/acme/sitemap.xml").text)
    assert first[f"{base(careers)}/acme/"] is None
    careers.publish(vacancy("w1", "Master welder"))
    second = entries(careers.get("/acme/sitemap.xml").text)
    assert second[f"{base(careers)}/acme/jobs/w2"] == first[f"{base(careers)}/acme/jobs/w2"]
    assert second[f"{base(careers)}/acme/jobs/w1"] == f"{careers.clock.now():%Y-%m-%dT%H:%M:%SZ}"


def test_a_job_that_opened_by_its_date_changed_then(careers):
    careers.publish(vacancy("w1", "Welder", start="2026-06-30T12:00:00Z"))
    assert f"{base(careers)}/acme/jobs/w1" not in entries(careers.get("/acme/sitemap.xml").text)
    careers.clock.pass_time(40 * 86_400)
    assert entries(careers.get("/acme/sitemap.xml").text)[f"{base(careers)}/acme/jobs/w1"] == "2026-06-30T12:00:00Z"


def test_a_closed_job_is_removed_in_the_same_second(careers):
    careers.publish(vacancy("w1", "Welder", end="2026-06-02T14:00:00Z"), vacancy("w2", "Cook"))
    address = f"{base(careers)}/acme/jobs/w1"
    end = careers.clock.now().replace(month=6, day=2, hour=14, minute=0, second=0, microsecond=0)
    careers.clock.pass_time((end - careers.clock.now()).total_seconds() - 0.001)
    assert address in entries(careers.get("/acme/sitemap.xml").text)
    careers.clock.pass_time(0.001)
    assert address not in entries(careers.get("/acme/sitemap.xml").text)


def test_a_companys_own_host_has_its_own_sitemap(tmp_path):
    careers = found_site(tmp_path, site='hosts = ["careers.acme.example"]')
    careers.publish(vacancy("w1", "Welder"))
    own = entries(careers.get("/sitemap.xml", Host="careers.acme.example").text)
    assert "http://careers.acme.example:8000/jobs/w1" in own
    # On the portal's host the sitemap lists the same pages, because they have one address each.
    assert entries(careers.get("/acme/sitemap.xml").text) == own


def fill(careers, jobs: int) -> None:
    """Store that many open jobs as a sync does."""
    now = careers.clock.now()
    same = {
        "tenant": "acme", "publication": Publication.PUBLIC, "was_open": False, "stage": "Open", "country": "DE",
        "city": "", "employment_type": "", "location_type": "", "opens_at": now - timedelta(days=1),
        "closes_at": NEVER, "dated_at": now, "fingerprint": "", "modified_at": now,
    }  # fmt: skip
    with careers.portal.parts.database.write() as connection:
        for start in range(0, jobs, 5_000):
            rows = range(start, min(start + 5_000, jobs))
            connection.execute(
                sa.insert(vacancies), [{**same, "vacancy_id": f"v{n}", "posting_id": f"v{n}"} for n in rows]
            )
        connection.execute(sa.insert(mirrors), {"tenant": "acme", "version": jobs, "counted_at": now})


@pytest.mark.parametrize(("jobs", "parts"), [(49_999, None), (50_000, 2)])
def test_an_index_is_used_where_one_file_would_be_too_long(tmp_path, jobs, parts):
    """The list is one of its 50,000 addresses."""
    careers = found_site(tmp_path)
    careers.portal.write_tenant("acme", "Acme", '[publish]\nstages = ["Open"]')
    careers.clock.pass_time(1)
    fill(careers, jobs)
    whole = careers.get("/acme/sitemap.xml").text
    if parts is None:
        assert whole.count("<url>") == 50_000
        assert careers.get("/acme/sitemap-2.xml").status_code == 404
        return
    named = entries(whole)
    assert list(named) == [f"{base(careers)}/acme/sitemap-{n}.xml" for n in range(1, parts + 1)]
    assert all(named.values())
    found = [entries(careers.get(address.removeprefix(base(careers))).text) for address in named]
    assert [len(one) for one in found] == [50_000, 1]
    assert len({**found[0], **found[1]}) == jobs + 1


@pytest.mark.parametrize("number", ["0", "3", "01", "-1", "x", "9999999", "²"])
def test_a_part_that_does_not_exist_is_404(careers, number):
    careers.publish(vacancy("w1", "Welder"))
    assert careers.get("/acme/sitemap-1.xml").status_code == 200
    assert careers.get(f"/acme/sitemap-{number}.xml").status_code == 404


def test_the_sitemap_is_valid_by_the_formats_schemas(careers):
    folder = Path(__file__).parents[2] / "node/node_modules/sitemap/schema"
    schema = file(folder / "sitemap.xsd", how="python tools/install_parts.py")
    careers.publish(vacancy("w1", "Welder"))
    xmlschema.XMLSchema(str(schema)).validate(careers.get("/acme/sitemap.xml").text)


def test_a_company_without_jobs_has_only_its_list(careers):
    careers.mirror()
    assert list(entries(careers.get("/acme/sitemap.xml").text)) == [
        f"{base(careers)}/acme/",
        f"{base(careers)}/acme/?lang=de",
    ]


def test_parts_contain_every_job_once_for_any_limit(careers):
    """Six jobs in two languages, for each limit that divides them differently."""
    careers.publish(*[vacancy(f"w{n}", "Welder") for n in range(6)])
    parts = careers.portal.parts
    tenant, now = parts.tenants.require("acme"), parts.clock.now()
    site = addresses(tenant, base_url=base(careers))
    for most in (4, 6, 8, 12, 13):
        found: list[str] = []
        for part in range(1, 10):
            text = discovery.sitemap_part(parts.database, tenant, site, now, part, most=most)
            if text is None:
                break
            assert len(entries(text)) <= most
            found += entries(text)
        assert len(found) == len(set(found)) == 14
        index = entries(discovery.sitemap(parts.database, tenant, site, now, most=most))
        assert len(index) == part - 1
    assert len(entries(discovery.sitemap(parts.database, tenant, site, now, most=14))) == 14
