"""Source parameters of a form's URL are stored with the delivery, for operator and candidate."""

import json

import pytest
import sqlalchemy as sa

from portal.delivery.envelopes.tables import deliveries
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor
from tests.site.account.test_what_somebody_agreed_to_is_kept_with_what_they_sent import downloaded, operator
from tests.site.apply.applicant import Applicant

FROM = {"utm_source": "newsletter", "utm_campaign": "Frühling 2026", "gh_src": "abc123", "ref": "a", "source": "fair"}
QUERY = "?utm_source=newsletter&utm_campaign=Fr%C3%BChling%202026&gh_src=abc123&ref=a&source=fair&utm_id=9&x=1"


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    return on_each


def apply(acme: Portal, query: str, **typed: str) -> str:
    with acme.browser() as client:
        form = Applicant(client, f"/acme/jobs/job-1/apply{query}")
        return form.receipt(email=ADA, **typed).rsplit("/", 1)[1]


def sources(acme: Portal, reference: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(operator(acme, reference, "--json"))["sources"]
    return found


def test_an_operator_sees_it_and_nothing_else_of_the_address(acme: Portal):
    reference = apply(acme, QUERY)
    assert sources(acme, reference) == FROM
    assert "Frühling 2026" in operator(acme, reference)


def test_its_person_reads_and_downloads_it(acme: Portal, ada: Visitor):
    reference = apply(acme, QUERY)
    ada.sign_in()
    assert downloaded(ada)[reference]["cameFrom"] == FROM
    assert "Frühling 2026" in ada.get("/profile/data").words


def test_a_form_that_came_back_still_knows_it(acme: Portal):
    with acme.browser() as client:
        form = Applicant(client, f"/acme/jobs/job-1/apply{QUERY}")
        form.address = "/acme/jobs/job-1/apply"
        form.send(email="wrong")
        reference = form.receipt(email=ADA).rsplit("/", 1)[1]
    assert sources(acme, reference) == FROM


def test_a_form_without_it_says_nothing_of_it(acme: Portal):
    with acme.browser() as client:
        hidden = Applicant(client).page.hidden
    assert not hidden.keys() & FROM.keys()
    assert sources(acme, apply(acme, "?x=1")) == {}


@pytest.mark.parametrize(
    ("value", "kept"),
    [("x" * 200, True), ("x" * 201, False), ("a%0Ab", False), ("a%E2%80%AEb", False), ("%20", False)],
)
def test_what_is_too_long_or_not_clean_is_left_out_and_stops_nobody(acme: Portal, value: str, kept: bool):
    assert ("ref" in sources(acme, apply(acme, f"?ref={value}&source=fair"))) is kept


def test_it_is_not_in_clear_and_goes_with_the_rest(acme: Portal):
    def stored() -> str | None:
        with acme.parts.database.read() as connection:
            return connection.execute(sa.select(deliveries.c.sources)).scalar_one()

    reference = apply(acme, "?utm_source=newsletter")
    assert "newsletter" not in (stored() or "newsletter")
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(8 * 86_400)
    acme.work.run_housekeeping()
    assert stored() is None
    assert sources(acme, reference) == {}


def test_the_same_from_another_link_is_still_the_same(acme: Portal):
    first, second = apply(acme, "?ref=a"), apply(acme, "?ref=b")
    assert first == second
    (again,) = json.loads(operator(acme, first, "--json"))["sentAgainAs"]
    assert json.loads(operator(acme, again, "--json"))["duplicateOf"] == first
    assert (sources(acme, first), sources(acme, again)) == ({"ref": "a"}, {"ref": "b"})


def test_an_address_without_its_last_slash_loses_nothing(acme: Portal):
    with acme.browser() as client:
        answer = client.get("/acme?utm_source=newsletter&nonsense=1")
    assert answer.headers["Location"] == "/acme/?utm_source=newsletter"
