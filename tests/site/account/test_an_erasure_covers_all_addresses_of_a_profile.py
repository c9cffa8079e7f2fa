"""An erasure covers all addresses of the record, and no other person's data."""

import sqlalchemy as sa

from portal.background.outbox import worker
from portal.delivery.envelopes.tables import deliveries
from portal.people.index.tables import candidates, record_history
from portal.people.signin.tables import sessions
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, at_service, candidate, code_in, mailbox
from tests.site.account.test_a_candidate_changes_her_profile import confirm

WORK = "ada@work.example"
TWO = [{"purpose": "personal", "email": ADA, "isPrimary": True}, {"purpose": "work", "email": WORK, "isPrimary": False}]


def reindex(acme: Portal) -> None:
    acme.parts.clock.pass_time(100)
    acme.work.index_what_is_due()


def rows(acme: Portal, table: sa.Table) -> list[sa.RowMapping]:
    with acme.parts.database.read() as connection:
        return list(connection.execute(sa.select(table)).mappings())


def send_emails_only(acme: Portal) -> None:
    """Let the worker send emails only."""
    work = acme.work
    kinds = {kind: one for kind, one in work._handlers.items() if kind in ("code", "letter")}
    while worker.step(acme.parts.database, kinds, work._policy, acme.parts.clock):
        pass


def test_a_change_sent_from_the_other_address_is_stopped(acme: Portal):
    acme.service.load("acme", [candidate(emails=TWO)])
    reindex(acme)
    at_work = Visitor(acme)
    at_work.sign_in(WORK)
    confirm(at_work, at_work.form().press(firstName="Augusta"))
    at_home = Visitor(acme)
    at_home.post("/profile", email=ADA)
    send_emails_only(acme)
    at_home.enter(code_in(mailbox(acme)[-1]))
    assert at_home.post("/profile/erase", at_home.get("/profile/erase")).status_code == 200
    assert all(row["sealed"] is None for row in rows(acme, deliveries))
    assert rows(acme, record_history) == []
    assert rows(acme, sessions) == []
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Ada"


def test_another_profile_with_the_same_address_is_kept(acme: Portal):
    acme.service.load("acme", [candidate("second-candidate", firstName="Augusta")])
    reindex(acme)
    ada = Visitor(acme)
    ada.sign_in()
    page = ada.get("/profile/record")
    first = next(one.attrib["value"] for one in page.all("input") if one.get("name") == "record")
    ada.post("/profile/record", page, record=first)
    assert ada.post("/profile/erase", ada.get("/profile/erase")).status_code == 200
    assert len(rows(acme, candidates)) == 1
