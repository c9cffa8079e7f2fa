"""The form shows its job and the next steps, and begins with the CV, which can fill the other fields."""

import pytest

from tests.builders import Portal
from tests.site.apply.applicant import Applicant, Page, words

FILE = """
[publish]
stages = ["Open"]
show_salary = true
show_client = true
salary_unit = "YEAR"
[apply]
phone_region = "DE"
{more}
"""


def beside(page: Page) -> str:
    return " ".join(words(one) for one in page.by_class("summary"))


def test_the_job_is_shown_with_its_main_facts(acme: Portal, ada: Applicant) -> None:
    from tests.site.browse.jobs import vacancy

    acme.write_tenant("acme", "Acme", FILE.format(more=""))
    pay = {"currency": "EUR", "min": 40000, "max": 50000}
    acme.service.load("acme", [vacancy("job-1", "Welder", client="Tin Ltd", salary=pay, end="2031-07-01T00:00:00Z")])
    acme.parts.clock.sleep(86_401)
    acme.work.mirror_what_is_due()
    said = beside(ada.open())
    for one in ("Welder", "Tin Ltd", "Berlin, Germany", "On-site", "Full-time", "€40,000 – €50,000 a year", "2031"):
        assert one in said


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", "Acme gets in touch with you."),
        ("answer_within_days = 1", "You get a response within 1 day."),
        ("answer_within_days = 10", "You get a response within 10 days."),
    ],
)
def test_the_next_steps_are_shown_before_sending(acme: Portal, ada: Applicant, more: str, expected: str) -> None:
    acme.write_tenant("acme", "Acme", FILE.format(more=more))
    acme.parts.clock.sleep(1)
    assert expected in beside(ada.open())
    assert expected in beside(ada.send(email="wrong"))


def test_the_contact_is_shown_if_the_company_names_one(acme: Portal, ada: Applicant) -> None:
    assert "mailto:" not in ada.open().text
    acme.write_tenant("acme", "Acme", FILE.format(more='contact = "people@acme.example"'))
    acme.parts.clock.sleep(1)
    assert '<a href="mailto:people@acme.example">people@acme.example</a>' in ada.open().text


def test_the_cv_is_the_first_field(ada: Applicant) -> None:
    named = [one.get("name") for one in ada.page.all("input") if one.get("type") not in {"hidden", "submit"}]
    assert named[0] == "cv"
