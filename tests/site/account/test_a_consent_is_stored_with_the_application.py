"""The text, version and time of a consent are stored with the delivery, for candidate and operator."""

import hashlib
import json

import pytest

from tests.builders import Portal
from tests.delivery.record_changes.change_scene import ChangeScene, Relay
from tests.site.account.candidate import ADA, Visitor
from tests.site.account.conftest import FILE
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Applicant

SIX = "I agree that Acme keeps my application for six months."
TWELVE = "I agree that Acme keeps my application for twelve months."
DAY = 86_400


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    return on_each


def ask_for(acme: Portal, text: str) -> None:
    """Make the tenant's form require consent to this text."""
    acme.write_tenant("acme", "Acme", FILE.replace("[apply]", f'[apply]\nconsent = "{text}"'))
    acme.parts.clock.pass_time(1)


def apply(acme: Portal, **typed: str) -> str:
    with acme.browser() as client:
        address = Applicant(client).receipt(email=ADA, **typed)
    return address.rsplit("/", 1)[1]


def agreed(text: str, acme: Portal) -> dict[str, str]:
    """Return the consent in JSON: given now."""
    version = hashlib.sha256(text.encode()).hexdigest()
    return {"version": version, "text": text, "givenAt": acme.parts.clock.now().isoformat()}


def downloaded(ada: Visitor) -> dict[str, dict[str, object]]:
    held = ada.client.get("/acme/profile/data.json").json()
    return {one["reference"]: one for one in held["applications"]}


def operator(acme: Portal, *words: str) -> str:
    return ChangeScene(acme, Relay()).operator("submissions", "show", *words).stdout


def test_a_candidate_reads_and_downloads_her_consent_and_its_time(acme: Portal, ada: Visitor):
    ask_for(acme, SIX)
    reference, given = apply(acme, consent="yes"), agreed(SIX, acme)
    acme.parts.clock.pass_time(DAY)
    ada.sign_in()
    assert downloaded(ada)[reference]["consent"] == given
    assert SIX in ada.get("/profile/data").words


def test_an_operator_can_show_a_consent(acme: Portal):
    ask_for(acme, SIX)
    reference, given = apply(acme, consent="yes"), agreed(SIX, acme)
    acme.parts.clock.pass_time(DAY)
    assert json.loads(operator(acme, reference, "--json"))["consent"] == given
    shown = operator(acme, reference)
    for said in given.values():
        assert said in shown


def test_a_changed_text_is_a_new_version_and_older_consents_keep_theirs(acme: Portal, ada: Visitor):
    ask_for(acme, SIX)
    older, six = apply(acme, consent="yes"), agreed(SIX, acme)
    ask_for(acme, TWELVE)
    newer, twelve = apply(acme, consent="yes", city="Bonn"), agreed(TWELVE, acme)
    assert six["version"] != twelve["version"]
    ada.sign_in()
    assert {key: one["consent"] for key, one in downloaded(ada).items()} == {older: six, newer: twelve}
    assert json.loads(operator(acme, older, "--json"))["consent"] == six
    assert json.loads(operator(acme, newer, "--json"))["consent"] == twelve


def test_a_consent_outlives_its_application(acme: Portal, ada: Visitor):
    ask_for(acme, SIX)
    reference, given = apply(acme, consent="yes"), agreed(SIX, acme)
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(acme.parts.settings.purge_after + 1)
    acme.work.run_housekeeping()
    ada.sign_in()
    mine = downloaded(ada)[reference]
    assert (mine["data"], mine["consent"]) == ({}, given)
    assert json.loads(operator(acme, reference, "--json"))["consent"] == given


def test_no_consent_is_stored_if_none_was_requested(acme: Portal, ada: Visitor):
    reference = apply(acme)
    ada.sign_in()
    change = confirm(ada, ada.form().press(firstName="Augusta")).rsplit("/", 1)[1]
    assert downloaded(ada)[reference]["consent"] is None
    for one in (reference, change):
        assert json.loads(operator(acme, one, "--json"))["consent"] is None
        assert "consentText" not in operator(acme, one)
