"""With `bots = "proof"`, above a rate: a form with a proof of work is sent at once, any other once it is confirmed."""

import base64
import json
import re
from datetime import timedelta
from email import message_from_string
from email.policy import default

import altcha
import pytest
import sqlalchemy as sa

from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes.tables import deliveries
from portal.platform.rate_limits import Limit
from portal.site.apply import proof_of_work
from tests.delivery.scene import Scene
from tests.delivery.senders import PERSON, bots, held_for, reference_of, send
from tests.delivery.test_a_file_waits_until_the_scanner_has_checked_it import DAY, Scanner, scan
from tests.delivery.test_metrics_report_the_state_of_delivery import asked
from tests.site.apply.applicant import Applicant, Page

NETWORK, TENANT = Limit("bots-network", 20, 600), Limit("bots-tenant", 200, 600)
HERE = ("acme", "127.0.0.1")


@pytest.fixture(autouse=True)
def _prove(here: Scene) -> None:
    bots(here, "proof")
    here.clock.pass_time(600 - here.clock.now().timestamp() % 600)  # the start of the next ten-minute window


def already(here: Scene, many: int, limit: Limit = NETWORK, who: tuple[str, ...] = HERE) -> None:
    if limit == TENANT:  # by somebody else
        here.parts.throttle.hit_shared_window(limit, "192.0.2.1", *who, amount=many, done=True)
    else:
        here.parts.throttle.hit_fixed_window(limit, *who, amount=many)


def challenge(form: Applicant) -> dict | None:
    address = form.page.all("form")[0].attrib["data-proof"]
    answer = form.client.get(address, params={"token": form.page.hidden["token"]})
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    return answer.json()["challenge"]


def solve(asked: dict, **changes: object) -> str:
    """Return what a browser posts. changes: members of the solution that differ."""
    challenge = altcha.Challenge.from_dict(asked)
    solution = altcha.solve_challenge(challenge).to_dict() | changes
    return encoded({"challenge": challenge.to_dict(), "solution": solution})


def encoded(payload: dict) -> str:
    return base64.b64encode(json.dumps(payload).encode()).decode()


def confirmation(here: Scene, name: str = "ada") -> str:
    """Return the URL in the latest email."""
    here.deliver()
    letters = [mail for mail in here.mails() if f"To: {name}@people.example" in mail]
    text = message_from_string(letters[-1], policy=default).get_body(("plain",)).get_content()
    return re.search(r"http://\S+?(/acme/applications/\w+/confirm\?key=[0-9a-f]{64})", text)[1]


@pytest.mark.parametrize(
    ("limit", "who", "before", "held"),
    [
        (NETWORK, HERE, 19, None),
        (NETWORK, HERE, 20, "person"),
        (NETWORK, ("globex", "127.0.0.1"), 20, None),
        (NETWORK, ("acme", "192.0.2.1"), 20, None),
        (TENANT, ("acme",), 199, None),
        (TENANT, ("acme",), 200, "person"),
        (TENANT, ("globex",), 200, None),
    ],
)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_rate_limits_are_these(here: Scene, limit: Limit, who: tuple[str, ...], before: int, held: str | None):
    already(here, before, limit, who)
    assert held_for(here, send(here, seconds=0)) == held


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_limit_ends_after_ten_minutes(here: Scene):
    already(here, 20)
    here.clock.pass_time(600)
    assert held_for(here, send(here)) is None


@pytest.mark.parametrize(("before", "needed"), [(9, False), (10, True)])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_proof_of_work_is_requested_from_half_of_the_rate(here: Scene, before: int, needed: bool):
    already(here, before)
    with here.browser() as client:
        form = Applicant(client)
        for _ in range(20):  # requests for a challenge do not count
            assert bool(challenge(form)) is needed
        form.page.hidden["token"] = "of another key"
        assert client.get("/acme/jobs/job-2/apply/challenge", params=form.page.hidden).json() == {"challenge": None}


def test_a_form_with_a_proof_is_sent_immediately(here: Scene):
    already(here, 20)
    with here.browser() as client:
        form = Applicant(client)
        here.clock.pass_time(PERSON)
        reference = reference_of(form.receipt(altcha=solve(challenge(form))))
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED
    assert here.overview(reference).suspicion is None


@pytest.mark.parametrize(
    "wrong",
    [
        "nothing",
        "no base64",
        "no JSON",
        "no object",
        "another counter",
        "another form's",
        "too late",
        "later end",
        "easier",
        "forged",
    ],
)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_form_without_a_proof_is_accepted_and_waits_for_confirmation(here: Scene, wrong: str):
    already(here, 20)
    with here.browser() as client:
        form = Applicant(client)
        posed = challenge(form if wrong != "another form's" else Applicant(client))
        solution = {
            "nothing": lambda: "",
            "no base64": lambda: "ü%",
            "no JSON": lambda: base64.b64encode(b"[").decode(),
            "no object": lambda: base64.b64encode(b"7").decode(),
            "another counter": lambda: solve(posed, counter=proof_of_work.MOST + 1),
            "later end": lambda: solve(changed(posed, data={**posed["parameters"]["data"], "until": 9_999_999_999})),
            "easier": lambda: solve(changed(posed, keyPrefix="00")),
            "forged": lambda: forged(posed),
        }.get(wrong, lambda: solve(posed))()
        here.clock.pass_time(proof_of_work.LIFETIME.total_seconds() if wrong == "too late" else PERSON)
        already(here, 20)
        reference = reference_of(form.receipt(altcha=solution))
    assert held_for(here, reference) == "person"
    assert here.overview(reference).suspicion == "no-proof"


def changed(posed: dict, **parameters: object) -> dict:
    """A challenge of the portal with other parameters, under the same signature."""
    return {**posed, "parameters": posed["parameters"] | parameters}


def forged(posed: dict) -> str:
    """A challenge that the bot made itself."""
    own = altcha.create_challenge("SHA-256", 1, counter=1, data=posed["parameters"]["data"], hmac_secret="its own")
    return solve(own.to_dict())


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_proof_is_valid_for_an_hour(here: Scene):
    now, form_id = here.clock.now(), "f" * 32
    posed = proof_of_work.challenge(here.parts.seal, form_id=form_id, now=now)
    solution, until = solve(posed), int((now + proof_of_work.LIFETIME).timestamp())
    over = now + timedelta(seconds=until - now.timestamp())
    for at, holds in ((over - timedelta(milliseconds=1), True), (over, False)):
        assert proof_of_work.is_proven(here.parts.seal, solution, form_id=form_id, now=at) is holds


def test_the_email_leads_to_a_button_that_confirms_the_application(here: Scene):
    already(here, 20)
    reference = send(here)
    assert "confirm your application" in here.receipt(reference)
    assert 'portal_submissions_waiting{for="person",tenant="acme"} 1.0' in asked(here).text
    address = confirmation(here)
    with here.browser() as client:
        for _ in range(2):
            page = Page(client.get(address))
            assert "Confirm your application" in page.words
        here.deliver()
        assert here.acme.posted == []
        answer = client.post(address, data=page.hidden, files={"x": b""})
        assert answer.status_code == 303
        assert answer.headers["location"].endswith(f"/acme/applications/{reference}")
        here.deliver()
        assert here.overview(reference).state is OutboxState.DELIVERED
        assert client.post(address, data=page.hidden, files={"x": b""}).status_code == 303
        assert client.get(address).status_code == 303
        here.deliver()
    assert len(here.acme.posted) == 1
    assert "with Acme" in here.receipt(reference)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_only_the_recipient_of_the_email_can_confirm(here: Scene):
    already(here, 20)
    first, other = send(here), send(here, "bob")
    address, others = confirmation(here), confirmation(here, "bob")
    key = others.partition("key=")[2]
    with here.browser() as client:
        for wrong in ("", "?key=", f"?key={key}", "?key=%C3%BC"):
            assert client.get(address.partition("?")[0] + wrong).status_code == 404
        for wrong in ("", key, "ü"):
            assert client.post(address.partition("?")[0], data={"key": wrong}).status_code == 404
    assert (held_for(here, first), held_for(here, other)) == ("person", "person")


@pytest.mark.parametrize("here", [{"scanner": "clamd:127.0.0.1:9"}], indirect=True)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_confirmed_application_is_still_scanned(here: Scene):
    already(here, 20)
    reference = send(here)
    assert scan(here, Scanner()) == 0
    address = confirmation(here)
    with here.browser() as client:
        client.post(address, data={"key": address.partition("key=")[2]})
    assert held_for(here, reference) == "scanner"
    assert scan(here, Scanner()) == 1
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_each_email_about_a_repeat_contains_the_confirmation_link(here: Scene):
    already(here, 20)
    first, again = send(here), send(here)
    assert again == first
    address = confirmation(here)
    assert first in address
    assert "confirm your application" in here.receipt(again)
    with here.browser() as client:
        client.post(address, data={"key": address.partition("key=")[2]})
    here.deliver()
    assert len(here.acme.posted) == 1
    assert "with Acme" in here.receipt(again)


def test_an_application_unconfirmed_for_a_week_is_given_up_and_its_receipt_says_so(here: Scene):
    already(here, 20)
    reference = send(here)
    address = confirmation(here)
    here.clock.pass_time(7 * DAY - 1)
    here.work.run_housekeeping()
    assert held_for(here, reference) == "person"
    here.clock.pass_time(2)
    here.work.run_housekeeping()
    here.deliver()
    assert (here.overview(reference).state, here.overview(reference).last_failure) == (
        OutboxState.DISCARDED,
        "Unconfirmed",
    )
    assert "Not confirmed" in here.receipt(reference)
    assert len(here.mails()) == 1
    with here.browser() as client:
        assert client.post(address, data={"key": address.partition("key=")[2]}).status_code == 303
    here.deliver()
    assert here.acme.posted == []


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_nothing_is_kept_of_an_application_unconfirmed_for_a_week(here: Scene):
    already(here, 20)
    send(here)
    for seconds, kept in ((7 * DAY - 1, True), (2, False)):
        here.clock.pass_time(seconds)
        here.work.run_housekeeping()
        with here.parts.database.read() as connection:
            sealed, erased_at = connection.execute(sa.select(deliveries.c.sealed, deliveries.c.erased_at)).one()
        assert (sealed is not None, erased_at is None) == (kept, kept)


@pytest.mark.parametrize("word", ["count", "review"])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_other_companies_request_no_proof_of_work(here: Scene, word: str):
    bots(here, word, tenant="globex")
    already(here, 20, NETWORK, ("globex", "127.0.0.1"))
    with here.browser() as client:
        form = Applicant(client, "/globex/jobs/job-1/apply")
        assert form.page.all("form")[0].get("data-proof") is None
        asking = client.get("/globex/jobs/job-1/apply/challenge", params={"token": form.page.hidden["token"]})
        assert asking.json() == {"challenge": None}
    assert held_for(here, send(here, tenant="globex")) is None
