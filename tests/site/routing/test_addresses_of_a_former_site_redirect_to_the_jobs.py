"""Links to the company's former careers site are redirected to the corresponding job."""

import pytest
from werkzeug.test import Client

from tests.site.browse.jobs import Careers, careers, vacancy

MAIN, SECOND = "careers.acme.example", "jobs.acme.example"
REDIRECTS = """
[site.redirects]
"/old/jobs/17" = "w1"
"/old/b%C3%BCro/" = "w1"
"/vacancies.php?id=17" = "w1"
"/vacancies" = "/"
"/jobs/old-w2" = "w2"
"/jobs/w1" = "w2"
"""


@pytest.fixture
def acme(tmp_path) -> Careers:
    made = careers(tmp_path)
    file = made.portal.parts.settings.tenants / "acme.toml"
    file.write_text(file.read_text(encoding="utf-8") + REDIRECTS, encoding="utf-8")
    made.give_host(MAIN, SECOND)
    made.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"))
    return made


@pytest.mark.parametrize("host", [MAIN, SECOND])
@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/old/jobs/17", "/jobs/w1"),
        ("/old/jobs/17/?utm_source=x", "/jobs/w1"),
        ("/vacancies.php?id=17", "/jobs/w1"),
        ("/vacancies", "/"),
        ("/jobs/old-w2/", "/jobs/w2"),
    ],
)
def test_a_former_address_redirects_to_the_job_or_the_list(acme, host, path, target):
    answer = acme.get(path, Host=host)
    assert (answer.status_code, answer.headers["Location"]) == (301, f"http://{MAIN}:8000{target}")


def test_an_id_of_the_former_site_redirects_to_the_job(acme):
    answer = acme.get("/jobs/old-w2", Host=MAIN)
    assert (answer.status_code, answer.headers["Location"]) == (301, f"http://{MAIN}:8000/jobs/w2")


def test_percent_encoded_characters_are_decoded(acme):
    answer = Client(acme.portal.app).get("/old/b%C3%BCro", base_url=f"http://{MAIN}")
    assert (answer.status_code, answer.headers["Location"]) == (301, f"http://{MAIN}:8000/jobs/w1")


def test_a_page_of_the_portal_takes_precedence(acme):
    assert acme.get("/jobs/w1", Host=MAIN).status_code == 200


def test_other_addresses_are_not_found(acme):
    assert acme.get("/vacancies.php?id=18", Host=MAIN).status_code == 404
    assert acme.get("/old/jobs/17").status_code == 404
    assert acme.get("/acme/old/jobs/17").status_code == 404


def test_a_closed_job_is_reported_as_closed(acme):
    acme.publish(vacancy("w1", "Welder", stage="Filled"))
    target = acme.get("/old/jobs/17", Host=MAIN).headers["Location"].partition(":8000")[2]
    assert acme.get(target, Host=MAIN).status_code == 410
