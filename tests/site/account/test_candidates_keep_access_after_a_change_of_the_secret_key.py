"""After a change of PORTAL_SECRET_KEY, candidates keep access to their earlier data.

With the former key as a fallback, before and after the index was synced again, which then has another hash of her
profile; and without it, after `portal db rekey` and another sync."""

from dataclasses import replace
from enum import StrEnum

import pytest
import sqlalchemy as sa

from portal.app import create_app
from portal.background.outbox import worker
from portal.cli import check_installation
from portal.delivery.envelopes.person import record_secret_key_in_use
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.privacy_requests import requests
from portal.operations.rekey import rekey
from portal.people.index.tables import candidates, record_history
from portal.services import Services
from portal.worker import WorkerThreads
from tests.builders import SECRET, Portal
from tests.site.account.candidate import ADA, Form, Visitor, at_service, code_in, mailbox, text
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Applicant

NEW = "another secret for tests, 32 char"
LATER = 100_000
"""Seconds until every record was read anew."""


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    return on_each


class Key(StrEnum):
    FALLBACK = "the former key is a fallback"
    REREAD = "it is, and the index was read anew"
    REMOVED = "everything is of the new key, and the former one was removed"


@pytest.fixture(params=list(Key))
def former(request: pytest.FixtureRequest) -> Key:
    return Key(request.param)


def rotate(acme: Portal, former: Key) -> Portal:
    """Start the portal again with a new secret key."""
    start_again(acme, NEW, SECRET)
    if former is Key.REMOVED:
        assert rekey(acme.parts.database, acme.parts.seal, lambda *_: None).by_key[1] > 0
    if former is not Key.FALLBACK:
        before = keys(acme)
        acme.parts.clock.pass_time(LATER)
        acme.work.index_what_is_due()
        assert keys(acme) != before
    if former is Key.REMOVED:
        start_again(acme, NEW)
    return acme


def start_again(acme: Portal, secret: str, *fallbacks: str) -> None:
    settings = replace(acme.parts.settings, secret_key=secret, secret_key_fallbacks=fallbacks)
    parts = Services.open(settings, clock=acme.parts.clock, transport=acme.parts.transport)
    acme.parts.database.close()
    acme.parts, acme.app, acme.work = parts, create_app(parts), WorkerThreads(parts)


def keys(acme: Portal) -> list[str]:
    with acme.parts.database.read() as connection:
        return list(connection.execute(sa.select(candidates.c.key)).scalars())


def signed_in(acme: Portal) -> Visitor:
    visitor = Visitor(acme)
    visitor.post("/profile", email=ADA)
    only(acme, "code")
    answer = visitor.enter(code_in(mailbox(acme)[-1]))
    assert answer.status_code == 303
    return visitor


def only(acme: Portal, *kinds: str) -> None:
    """Let the worker process these kinds only."""
    chosen = {kind: one for kind, one in acme.work._handlers.items() if kind in kinds}
    while worker.step(acme.parts.database, chosen, acme.work._policy, acme.parts.clock):
        pass


def apply(acme: Portal) -> str:
    with acme.browser() as client:
        return Applicant(client).receipt(email=ADA).rsplit("/", 1)[1]


def change(acme: Portal) -> str:
    """Send a change that waits; return its reference."""
    ada = signed_in(acme)
    return confirm(ada, ada.form().press(firstName="Augusta")).rsplit("/", 1)[1]


def test_all_stored_data_is_in_the_download(acme: Portal, former: Key):
    application, changed = apply(acme), change(acme)
    ada = signed_in(rotate(acme, former))
    held = ada.client.get("/acme/profile/data.json").json()
    assert [one["reference"] for one in held["applications"]] == [application]
    assert held["applications"][0]["data"]["last_name"] == "Lovelace"
    assert held["applications"][0]["cv"]["name"] == "cv.txt"
    assert [(one["reference"], one["data"]["firstName"]) for one in held["changes"]] == [(changed, "Augusta")]
    assert [one["what"] for one in held["history"]] == ["signed_in", "changed", "signed_in"]
    assert "receipt" in [one["kind"] for one in held["letters"]]


def test_recent_activity_is_shown(acme: Portal, former: Key):
    change(acme)
    page = signed_in(rotate(acme, former)).get("/profile/edit")
    assert "A change was sent" in page.words
    assert page.words.count("signed in with a code") == 2


def test_a_session_stays_valid(acme: Portal):
    ada = Visitor(acme)
    ada.sign_in()
    fresh = Visitor(rotate(acme, Key.FALLBACK))
    fresh.client.cookies.update(ada.client.cookies)
    assert fresh.get("/profile/edit").typed["firstName"] == "Ada"


def test_an_application_can_be_withdrawn(acme: Portal, former: Key):
    reference = apply(acme)
    fresh = rotate(acme, former)
    ada = signed_in(fresh)
    path = f"/profile/applications/{reference}/withdraw"
    assert ada.post(path, ada.get(path)).status_code == 303
    assert "Withdrawn" in ada.get("/profile/applications").words
    fresh.work.deliver_what_is_due()
    with fresh.parts.database.read() as connection:
        row = connection.execute(sa.select(deliveries)).one()
    assert (row.sealed, row.delivered_at, row.withdrawn_at is not None) == (None, None, True)


def test_a_waiting_change_can_be_continued_and_replaced(acme: Portal, former: Key):
    first = change(acme)
    fresh = rotate(acme, former)
    ada = signed_in(fresh)
    assert "replaces the last one" in ada.get("/profile/edit").words
    onward = ada.form(f"/profile/edit?again={first}")
    assert onward.page.typed["firstName"] == "Augusta"
    confirm(ada, onward.press(lastName="King"))
    assert "You replaced this change with another one" in ada.get(f"/profile/changes/{first}").words
    fresh.work.deliver_what_is_due()
    (record,) = at_service(fresh)
    assert (record["name"]["firstName"], record["name"]["lastName"]) == ("Augusta", "King")


def test_a_waiting_change_is_delivered(acme: Portal, former: Key):
    reference = change(acme)
    fresh = rotate(acme, former)
    fresh.work.deliver_what_is_due()
    assert at_service(fresh)[0]["name"]["firstName"] == "Augusta"
    assert "is up to date" in signed_in(fresh).get(f"/profile/changes/{reference}").words


def test_a_form_opened_before_the_change_is_accepted(acme: Portal):
    ada = signed_in(acme)
    review = ada.form().press(firstName="Augusta")
    fresh = Visitor(rotate(acme, Key.FALLBACK))
    fresh.client.cookies.update(ada.client.cookies)
    confirm(fresh, Form(fresh, review.page))


def test_erasure_deletes_everything(acme: Portal, former: Key):
    apply(acme)
    change(acme)
    fresh = rotate(acme, former)
    ada = signed_in(fresh)
    assert ada.post("/profile/erase", ada.get("/profile/erase")).status_code == 200
    with fresh.parts.database.read() as connection:
        kept = list(connection.execute(sa.select(deliveries)))
        noted = connection.execute(sa.select(sa.func.count()).select_from(record_history)).scalar_one()
    assert len(kept) == 2
    assert all(row.sealed is None and row.withdrawn_at for row in kept)
    assert (noted, keys(fresh)) == (0, [])
    fresh.work.deliver_what_is_due()
    assert at_service(fresh)[0]["name"]["firstName"] == "Ada"
    assert not any("has been received" in one["Subject"] for one in mailbox(fresh))


def test_a_request_from_before_the_change_is_completed(acme: Portal, former: Key):
    ada = signed_in(acme)
    ada.post("/profile/erase", ada.get("/profile/erase"))
    (asked,) = requests.all_open(acme.parts.database)
    fresh = rotate(acme, former)
    assert requests.done(fresh.parts.database, fresh.parts.seal, asked.reference, fresh.parts.clock)
    fresh.work.deliver_what_is_due()
    assert mailbox(fresh)[-1]["To"] == ADA
    assert "erased" in text(mailbox(fresh)[-1])


def test_check_reports_what_still_needs_the_former_key(acme: Portal):
    apply(acme)
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(acme.parts.settings.purge_after + 1)
    acme.work.run_housekeeping()
    apply(acme)
    start_again(acme, NEW, SECRET)
    record_secret_key_in_use(acme.parts.database, acme.parts.seal, acme.parts.clock.now())
    assert "still needed" in needed(acme)
    assert "`portal db rekey`" in needed(acme)
    rekey(acme.parts.database, acme.parts.seal, lambda *_: None)
    assert "still needed by 1 candidates to sign in" in needed(acme)
    acme.parts.clock.pass_time(LATER)
    acme.work.index_what_is_due()
    assert "that only it finds: up to 1;" in needed(acme)


def needed(acme: Portal) -> str:
    *_, line = check_installation.secret_keys(acme.parts)
    return line.says
