"""Source parameters of a form's URL are stored with the delivery, for operator and candidate."""

import json

import pytest
import sqlalchemy as sa

from portal.delivery.envelopes.tables import deliveries
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor
from tests.site.account.test_a_consent_is_stored_with_the_application import downloaded, operator
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


def test_an_operator_sees_the_source_and_no_other_parameter(acme: Portal):
    reference = apply(acme, QUERY)
    assert sources(acme, reference) == FROM
    assert "Frühling 2026" in operator(acme, reference)


def test_the_candidate_reads_and_downloads_the_source(acme: Portal, ada: Visitor):
    reference = apply(acme, QUERY)
    ada.sign_in()
    assert downloaded(ada)[reference]["cameFrom"] == FROM
    assert "Frühling 2026" in ada.get("/profile/data").words


def test_a_form_with_errors_keeps_the_source(acme: Portal):
    with acme.browser() as client:
        form = Applicant(client, f"/acme/jobs/job-1/apply{QUERY}")
        form.address = "/acme/jobs/job-1/apply"
        form.send(email="wrong")
        reference = form.receipt(email=ADA).rsplit("/", 1)[1]
    assert sources(acme, reference) == FROM


def test_a_form_without_a_source_stores_none(acme: Portal):
    with acme.browser() as client:
        hidden = Applicant(client).page.hidden
    assert not hidden.keys() & FROM.keys()
    assert sources(acme, apply(acme, "?x=1")) == {}


@pytest.mark.parametrize(
    ("value", "kept"),
    [("x" * 200, True), ("x" * 201, False), ("a%0Ab", False), ("a%E2%80%AEb", False), ("%20", False)],
)
def test_a_source_that_is_too_long_or_invalid_is_ignored(acme: Portal, value: str, kept: bool):
    assert ("ref" in sources(acme, apply(acme, f"?ref={value}&source=fair"))) is kept


def test_the_source_is_encrypted_and_erased_with_the_rest(acme: Portal):
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


def test_a_repeat_from_another_source_is_still_a_repeat(acme: Portal):
    first, second = apply(acme, "?ref=a"), apply(acme, "?ref=b")
    assert first == second
    (again,) = json.loads(operator(acme, first, "--json"))["sentAgainAs"]
    assert json.loads(operator(acme, again, "--json"))["duplicateOf"] == first
    assert (sources(acme, first), sources(acme, again)) == ({"ref": "a"}, {"ref": "b"})


def test_an_address_without_its_final_slash_keeps_the_source(acme: Portal):
    with acme.browser() as client:
        answer = client.get("/acme?utm_source=newsletter&nonsense=1")
    assert answer.headers["Location"] == "/acme/?utm_source=newsletter"
