"""With `bots = "proof"`, above a rate, a form with a proof is sent immediately, any other after confirmation."""

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
def _prove(scene: Scene) -> None:
    bots(scene, "proof")
    scene.clock.pass_time(600 - scene.clock.now().timestamp() % 600)  # the start of the next ten-minute window


def already(scene: Scene, many: int, limit: Limit = NETWORK, who: tuple[str, ...] = HERE) -> None:
    if limit == TENANT:  # by somebody else
        scene.parts.throttle.hit_shared_window(limit, "192.0.2.1", *who, amount=many, done=True)
    else:
        scene.parts.throttle.hit_fixed_window(limit, *who, amount=many)


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


def confirmation(scene: Scene, name: str = "ada") -> str:
    """Return the URL in the latest email."""
    scene.deliver()
    letters = [mail for mail in scene.mails() if f"To: {name}@people.example" in mail]
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
def test_the_rate_limits_are_these(scene: Scene, limit: Limit, who: tuple[str, ...], before: int, held: str | None):
    already(scene, before, limit, who)
    assert held_for(scene, send(scene, seconds=0)) == held


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_limit_ends_after_ten_minutes(scene: Scene):
    already(scene, 20)
    scene.clock.pass_time(600)
    assert held_for(scene, send(scene)) is None


@pytest.mark.parametrize(("before", "needed"), [(9, False), (10, True)])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_proof_of_work_is_requested_from_half_of_the_rate(scene: Scene, before: int, needed: bool):
    already(scene, before)
    with scene.browser() as client:
        form = Applicant(client)
        for _ in range(20):  # requests for a challenge do not count
            assert bool(challenge(form)) is needed
        form.page.hidden["token"] = "of another key"
        assert client.get("/acme/jobs/job-2/apply/challenge", params=form.page.hidden).json() == {"challenge": None}


def test_a_form_with_a_proof_is_sent_immediately(scene: Scene):
    already(scene, 20)
    with scene.browser() as client:
        form = Applicant(client)
        scene.clock.pass_time(PERSON)
        reference = reference_of(form.receipt(altcha=solve(challenge(form))))
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert scene.overview(reference).suspicion is None


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
def test_a_form_without_a_proof_is_accepted_and_waits_for_confirmation(scene: Scene, wrong: str):
    already(scene, 20)
    with scene.browser() as client:
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
        scene.clock.pass_time(proof_of_work.LIFETIME.total_seconds() if wrong == "too late" else PERSON)
        already(scene, 20)
        reference = reference_of(form.receipt(altcha=solution))
    assert held_for(scene, reference) == "person"
    assert scene.overview(reference).suspicion == "no-proof"


def changed(posed: dict, **parameters: object) -> dict:
    """A challenge of the portal with other parameters, under the same signature."""
    return {**posed, "parameters": posed["parameters"] | parameters}


def forged(posed: dict) -> str:
    """A challenge that the bot made itself."""
    own = altcha.create_challenge("SHA-256", 1, counter=1, data=posed["parameters"]["data"], hmac_secret="its own")
    return solve(own.to_dict())


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_proof_is_valid_for_an_hour(scene: Scene):
    now, form_id = scene.clock.now(), "f" * 32
    posed = proof_of_work.challenge(scene.parts.seal, form_id=form_id, now=now)
    solution, until = solve(posed), int((now + proof_of_work.LIFETIME).timestamp())
    over = now + timedelta(seconds=until - now.timestamp())
    for at, holds in ((over - timedelta(milliseconds=1), True), (over, False)):
        assert proof_of_work.is_proven(scene.parts.seal, solution, form_id=form_id, now=at) is holds


def test_the_email_leads_to_a_button_that_confirms_the_application(scene: Scene):
    already(scene, 20)
    reference = send(scene)
    assert "confirm your application" in scene.receipt(reference)
    assert 'portal_submissions_waiting{for="person",tenant="acme"} 1.0' in asked(scene).text
    address = confirmation(scene)
    with scene.browser() as client:
        for _ in range(2):
            page = Page(client.get(address))
            assert "Confirm your application" in page.words
        scene.deliver()
        assert scene.acme.posted == []
        answer = client.post(address, data=page.hidden, files={"x": b""})
        assert answer.status_code == 303
        assert answer.headers["location"].endswith(f"/acme/applications/{reference}")
        scene.deliver()
        assert scene.overview(reference).state is OutboxState.DELIVERED
        assert client.post(address, data=page.hidden, files={"x": b""}).status_code == 303
        assert client.get(address).status_code == 303
        scene.deliver()
    assert len(scene.acme.posted) == 1
    assert "with Acme" in scene.receipt(reference)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_only_the_recipient_of_the_email_can_confirm(scene: Scene):
    already(scene, 20)
    first, other = send(scene), send(scene, "bob")
    address, others = confirmation(scene), confirmation(scene, "bob")
    key = others.partition("key=")[2]
    with scene.browser() as client:
        for wrong in ("", "?key=", f"?key={key}", "?key=%C3%BC"):
            assert client.get(address.partition("?")[0] + wrong).status_code == 404
        for wrong in ("", key, "ü"):
            assert client.post(address.partition("?")[0], data={"key": wrong}).status_code == 404
    assert (held_for(scene, first), held_for(scene, other)) == ("person", "person")


@pytest.mark.parametrize("scene", [{"scanner": "clamd:127.0.0.1:9"}], indirect=True)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_confirmed_application_is_still_scanned(scene: Scene):
    already(scene, 20)
    reference = send(scene)
    assert scan(scene, Scanner()) == 0
    address = confirmation(scene)
    with scene.browser() as client:
        client.post(address, data={"key": address.partition("key=")[2]})
    assert held_for(scene, reference) == "scanner"
    assert scan(scene, Scanner()) == 1
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_each_email_about_a_repeat_contains_the_confirmation_link(scene: Scene):
    already(scene, 20)
    first, again = send(scene), send(scene)
    assert again == first
    address = confirmation(scene)
    assert first in address
    assert "confirm your application" in scene.receipt(again)
    with scene.browser() as client:
        client.post(address, data={"key": address.partition("key=")[2]})
    scene.deliver()
    assert len(scene.acme.posted) == 1
    assert "with Acme" in scene.receipt(again)


def test_an_application_unconfirmed_for_a_week_is_given_up_and_its_receipt_says_so(scene: Scene):
    already(scene, 20)
    reference = send(scene)
    address = confirmation(scene)
    scene.clock.pass_time(7 * DAY - 1)
    scene.work.run_housekeeping()
    assert held_for(scene, reference) == "person"
    scene.clock.pass_time(2)
    scene.work.run_housekeeping()
    scene.deliver()
    assert (scene.overview(reference).state, scene.overview(reference).last_failure) == (
        OutboxState.DISCARDED,
        "Unconfirmed",
    )
    assert "Not confirmed" in scene.receipt(reference)
    assert len(scene.mails()) == 1
    with scene.browser() as client:
        assert client.post(address, data={"key": address.partition("key=")[2]}).status_code == 303
    scene.deliver()
    assert scene.acme.posted == []


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_nothing_is_kept_of_an_application_unconfirmed_for_a_week(scene: Scene):
    already(scene, 20)
    send(scene)
    for seconds, kept in ((7 * DAY - 1, True), (2, False)):
        scene.clock.pass_time(seconds)
        scene.work.run_housekeeping()
        with scene.parts.database.read() as connection:
            sealed, erased_at = connection.execute(sa.select(deliveries.c.sealed, deliveries.c.erased_at)).one()
        assert (sealed is not None, erased_at is None) == (kept, kept)


@pytest.mark.parametrize("word", ["count", "review"])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_other_companies_request_no_proof_of_work(scene: Scene, word: str):
    bots(scene, word, tenant="globex")
    already(scene, 20, NETWORK, ("globex", "127.0.0.1"))
    with scene.browser() as client:
        form = Applicant(client, "/globex/jobs/job-1/apply")
        assert form.page.all("form")[0].get("data-proof") is None
        asking = client.get("/globex/jobs/job-1/apply/challenge", params={"token": form.page.hidden["token"]})
        assert asking.json() == {"challenge": None}
    assert held_for(scene, send(scene, tenant="globex")) is None
