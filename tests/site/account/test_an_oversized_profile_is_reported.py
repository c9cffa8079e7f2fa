"""The largest application and the largest record fit into the service's limits."""

from collections.abc import Iterator

import pytest
from flask import Flask
from flask_babel import Babel
from werkzeug.datastructures import MultiDict

from portal.adapters.tracker_client.client import to_json
from portal.contract import bounds
from portal.contract.bodies import LocationBody, Submission
from portal.delivery.record_changes.model import ProfileEntry, Record, update_of
from portal.site.account.record_form import RecordForm
from portal.tenants.model import Tenant, TrackerLink

ACME = Tenant("acme", "Acme", TrackerLink("http://127.0.0.1", "acme", "key"))
WIDEST = "\u674e"
"""One unit of a limit (§8), and three bytes; a character of four bytes counts as two units."""


@pytest.fixture(autouse=True, scope="module")
def page() -> Iterator[None]:
    app = Flask("words")
    Babel(app)
    with app.test_request_context():
        yield


def links(many: int, length: int) -> tuple[ProfileEntry, ...]:
    found = (f"https://a.example/{number:03}" for number in range(many))
    return tuple(ProfileEntry(link + "x" * (length - len(link)), None, is_primary=False) for link in found)


def sent(entries: tuple[ProfileEntry, ...]) -> RecordForm:
    shown = RecordForm(None, obj=Record("Ada", "Okafor", (ProfileEntry("a@b.example"),), links=entries))
    return RecordForm(MultiDict(shown.hidden()))


def record(entries: tuple[ProfileEntry, ...]) -> tuple[Record | None, list[tuple[str, str]]]:
    form = sent(entries)
    return form.record(Record("Ada", "Okafor", (ProfileEntry("a@b.example"),)), ACME), form.problems()


@pytest.mark.parametrize(("many", "fits"), [(bounds.ENTRIES_MAX, True), (bounds.ENTRIES_MAX + 1, False)])
def test_the_number_of_entries_is_limited(many: int, fits: bool):
    found, problems = record(links(many, 30))
    assert (found is not None) == fits
    assert [where for where, _ in problems] == ([] if fits else ["socialMedia-add"])


def test_an_oversized_profile_is_reported_and_one_at_the_limit_is_sent():
    took = [many for many in range(20, 40) if record(links(many, bounds.NETWORK_URL_MAX))[0]]
    fits = max(took)
    assert took == list(range(20, fits + 1))
    found, _ = record(links(fits, bounds.NETWORK_URL_MAX))
    assert found
    body = update_of(found).model_copy(update={"latest_cv_attachment_id": "x" * bounds.ATTACHMENT_ID_MAX})
    assert len(to_json(body)) <= bounds.PUBLIC_BODY_MAX < len(to_json(body)) + bounds.NETWORK_URL_MAX + 1_024
    _, problems = record(links(fits + 1, bounds.NETWORK_URL_MAX))
    ((where, said),) = problems
    assert where == "socialMedia-add"
    assert "too long to be sent together" in said


def test_the_largest_application_is_far_smaller():
    place = LocationBody(
        type="primary_home", city=WIDEST * 200, region=WIDEST * 200, postal_code=WIDEST * 20, country="DE"
    )
    body = Submission(
        network_url="x" * bounds.NETWORK_URL_MAX,
        first_name=WIDEST * bounds.NAME_MAX,
        last_name=WIDEST * bounds.NAME_MAX,
        cv_attachment_id="x" * bounds.ATTACHMENT_ID_MAX,
        email=WIDEST * bounds.EMAIL_MAX,
        phone_number="+" + "9" * 15,
        location=place,
    )
    assert len(to_json(body)) < bounds.PUBLIC_BODY_MAX // 8
