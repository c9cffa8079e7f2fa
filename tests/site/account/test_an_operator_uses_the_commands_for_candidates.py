"""`portal profile invite`, `portal requests list` and `done`, `portal sync`, as an operator types them."""

import json
import subprocess

import pytest

from portal.delivery.privacy_requests import requests
from portal.people.signin.sessions import Session
from tests.builders import SECRET, Portal
from tests.parts.command import portal
from tests.site.account.candidate import ADA, Visitor, mailbox, text


def run(acme: Portal, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    settings = acme.parts.settings
    own = {
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
    }
    return portal(*words, environment=own, typed=typed)


@pytest.fixture
def owed(acme: Portal, ada: Visitor) -> str:
    ada.sign_in()
    seal = acme.parts.seal
    token = ada.client.cookies["session-acme"]
    from portal.people.signin import sessions

    session = sessions.find(acme.parts.database, seal, tenant="acme", token=token, ttl=1_800, clock=acme.parts.clock)
    assert isinstance(session, Session)
    tenant = acme.parts.tenants.get("acme")
    assert tenant
    asked = requests.erase(
        acme.parts.database,
        seal,
        tenant=tenant,
        session=session,
        locale="en",
        clock=acme.parts.clock,
    )
    assert asked
    return asked.reference


def test_an_invitation_is_queued_and_sent(acme: Portal):
    done = run(acme, "profile", "invite", "acme", ADA)
    assert done.returncode == 0, done.stderr
    acme.parts.clock.pass_time(10**9)
    acme.work.deliver_what_is_due()
    assert mailbox(acme)[-1]["To"] == ADA
    assert "/acme/profile?to=" in text(mailbox(acme)[-1])


@pytest.mark.parametrize("words", [["acme", "nobody"], ["nosuch", ADA]])
def test_an_invalid_invitation_fails_with_one_line(acme: Portal, words: list[str]):
    done = run(acme, "profile", "invite", *words)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_requests_are_listed_without_personal_data_until_they_are_done(acme: Portal, owed: str):
    listed = run(acme, "requests", "list", "--json")
    assert [one["reference"] for one in json.loads(listed.stdout)] == [owed]
    assert ADA not in listed.stdout
    assert owed in run(acme, "requests", "list").stdout
    assert run(acme, "requests", "done", owed).returncode == 0
    again = run(acme, "requests", "done", owed)
    assert (again.returncode, "Traceback" in again.stderr) == (1, False)
    assert "No open requests." in run(acme, "requests", "list").stdout
