"""A former address can undo a change of addresses for 72 hours; deliveries are not reassigned before."""

import re
import threading

import pytest
import sqlalchemy as sa

from portal.background.outbox.tables import outbox
from portal.delivery.record_changes.undo_links import address_undos
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, at_service, candidate, code_in, mailbox, text
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.account.test_a_new_address_is_confirmed_before_it_is_sent import NEW, emails, post
from tests.site.account.test_an_erasure_covers_all_addresses_of_a_profile import (
    TWO,
    WORK,
    reindex,
    rows,
    send_emails_only,
)
from tests.site.account.test_earlier_applications_move_to_a_new_address import (
    THIRD,
    applications,
    apply,
    is_erased,
    move,
    signed_in,
)
from tests.site.apply.applicant import Page

WINDOW = 72 * 3_600


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    return on_each


def link(acme: Portal, to: str = ADA) -> str:
    """Return the path of the newest link sent to this address."""
    letters = [text(one) for one in mailbox(acme) if one["To"] == to]
    found = [path for one in letters for path in re.findall(r"(/acme/profile/undo\?key=\S+)", one)]
    return found[-1]


def open_link(acme: Portal, path: str) -> Page:
    with acme.browser() as client:
        return Page(client.get(path))


def press(acme: Portal, path: str) -> Page:
    """Open the link and press the button, without signing in."""
    with acme.browser() as client:
        page = Page(client.get(path))
        return Page(client.post(path, files={name: (None, value) for name, value in page.hidden.items()}))


def later(acme: Portal, seconds: float = WINDOW) -> None:
    acme.parts.clock.pass_time(seconds)
    acme.work.run_housekeeping()


def asked_only(acme: Portal, visitor: Visitor, new: str) -> None:
    """Accept a change of the address without delivering it."""
    prove = post(visitor, visitor.form().press(**{"emails-0-email": new}))
    send_emails_only(acme)
    sent = post(visitor, prove, code=code_in(mailbox(acme)[-1]))
    assert "Received" in sent.page.words
    send_emails_only(acme)


def test_the_former_address_can_sign_in_while_its_undo_is_queued(acme: Portal):
    apply(acme, ADA)
    move(acme, signed_in(acme, ADA), NEW)
    assert "is undone" in press(acme, link(acme)).words
    reindex(acme)
    before = len(mailbox(acme))
    acme.parts.clock.pass_time(1_000)
    Visitor(acme).post("/profile", email=ADA)
    send_emails_only(acme)
    assert emails(acme) == [NEW], "the service has not heard of it yet"
    to_her = [text(one) for one in mailbox(acme, before) if one["To"] == ADA]
    assert [one for one in to_her if re.search(r"(?<!\d)\d{8}(?!\d)", one)]


def test_undo_restores_the_former_address_and_ends_the_session(acme: Portal):
    sent = apply(acme, ADA)
    thief = signed_in(acme, ADA)
    move(acme, thief, NEW)
    assert emails(acme) == [NEW]
    path = link(acme)
    opened = open_link(acme, path)
    assert (opened.status, NEW in opened.text, ADA in opened.text) == (200, False, False)
    acme.work.deliver_what_is_due()
    assert emails(acme) == [NEW], "a page that is opened changes nothing"
    assert "is undone" in press(acme, path).words
    assert thief.client.get("/acme/profile/edit").status_code == 303
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]
    assert {str(one["To"]) for one in mailbox(acme) if "was undone" in one["Subject"]} == {ADA, NEW}
    assert sent in applications(signed_in(acme, ADA))
    Visitor(acme).ask(NEW)
    assert "There is no such profile" in text(mailbox(acme)[-1])
    later(acme)
    assert sent in applications(signed_in(acme, ADA))


def test_earlier_applications_are_reassigned_after_the_window_and_not_before(acme: Portal):
    sent = apply(acme, ADA)
    move(acme, signed_in(acme, ADA), NEW)
    later(acme, WINDOW - 3_000)
    at_new = signed_in(acme, NEW)
    assert sent not in applications(at_new)
    assert sent in applications(signed_in(acme, ADA)), "it stays with who sent it, and opens there"
    later(acme, 3_000)
    assert sent in applications(signed_in(acme, NEW))
    Visitor(acme).ask(ADA)
    assert "There is no such profile" in text(mailbox(acme)[-1])


def test_the_link_does_nothing_after_the_window(acme: Portal):
    move(acme, signed_in(acme, ADA), NEW)
    path = link(acme)
    later(acme, WINDOW)
    over = press(acme, path)
    assert over.status == 410
    acme.work.deliver_what_is_due()
    assert emails(acme) == [NEW]


def test_a_second_undo_has_no_effect(acme: Portal):
    move(acme, signed_in(acme, ADA), NEW)
    path = link(acme)
    pages: list[Page] = []
    threads = [threading.Thread(target=lambda: pages.append(press(acme, path))) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert [page.status for page in pages] == [200] * 4
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]
    move(acme, signed_in(acme, ADA), THIRD)
    assert press(acme, path).status == 200
    acme.work.deliver_what_is_due()
    assert emails(acme) == [THIRD]
    assert sum("was undone" in one["Subject"] and one["To"] == ADA for one in mailbox(acme)) == 1


def test_the_first_link_undoes_all_later_changes(acme: Portal):
    sent = apply(acme, ADA)
    move(acme, signed_in(acme, ADA), NEW)
    first = link(acme)
    reindex(acme)
    move(acme, signed_in(acme, NEW), THIRD)
    second = link(acme, NEW)
    assert "is undone" in press(acme, first).words
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]
    assert press(acme, second).status == 200
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA], "what was undone with the first is not undone again"
    later(acme)
    assert sent in applications(signed_in(acme, ADA))


def test_the_second_link_undoes_only_the_second_change(acme: Portal):
    move(acme, signed_in(acme, ADA), NEW)
    reindex(acme)
    move(acme, signed_in(acme, NEW), THIRD)
    press(acme, link(acme, NEW))
    acme.work.deliver_what_is_due()
    assert emails(acme) == [NEW]
    press(acme, link(acme))
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]


def test_a_change_that_was_not_delivered_yet_is_cancelled(acme: Portal):
    asked_only(acme, signed_in(acme, ADA), NEW)
    press(acme, link(acme))
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]
    later(acme)
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]


def test_a_change_that_may_have_arrived_is_not_sent_again_and_the_undo_follows_it(acme: Portal):
    asked_only(acme, signed_in(acme, ADA), NEW)
    with acme.parts.database.write() as connection:
        connection.execute(
            outbox.update().where(outbox.c.kind == "record").values(state="ambiguous", maybe_arrived=True)
        )
    press(acme, link(acme))
    # It did arrive, as the service shows later.
    acme.service.load("acme", [candidate(emails=[{"purpose": "personal", "email": NEW, "isPrimary": True}])])
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]


def test_changes_by_the_company_in_the_meantime_are_kept(acme: Portal):
    move(acme, signed_in(acme, ADA), NEW)
    theirs = [{"purpose": "work", "email": WORK, "isPrimary": False}]
    now = [{"purpose": "personal", "email": NEW, "isPrimary": True}, *theirs]
    acme.service.load("acme", [candidate(firstName="Augusta", emails=now)])
    press(acme, link(acme))
    acme.work.deliver_what_is_due()
    (record,) = at_service(acme)
    assert record["name"]["firstName"] == "Augusta"
    assert [(one["email"], one["isPrimary"]) for one in record["emails"]["emails"]] == [(ADA, True), (WORK, False)]


def test_no_other_change_replaces_an_undelivered_undo(acme: Portal):
    move(acme, signed_in(acme, ADA), NEW)
    press(acme, link(acme))
    reindex(acme)
    send_emails_only(acme)
    thief = Visitor(acme)
    thief.post("/profile", email=NEW)
    send_emails_only(acme)
    thief.enter(code_in(mailbox(acme)[-1]))
    page = thief.get("/profile/edit")
    if page.status == 200:  # the index has the record with that address again
        form = thief.form().press(firstName="Mallory")
        waiting = [row["subject"] for row in rows(acme, outbox) if row["kind"] == "record" and row["state"] == "due"]
        assert post(thief, form, replaces=waiting[0]).page.status == 409
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]
    assert at_service(acme)[0]["name"]["firstName"] == "Ada"


def test_the_new_address_cannot_erase_before_the_window_ends(acme: Portal):
    sent = apply(acme, ADA)
    move(acme, signed_in(acme, ADA), NEW)
    reindex(acme)
    thief = signed_in(acme, NEW)
    held = Page(thief.post("/profile/erase", thief.get("/profile/erase")))
    assert held.status == 409
    assert "Nothing has been erased" in held.words
    assert not is_erased(acme, sent)
    later(acme)
    hers = signed_in(acme, NEW)
    assert hers.post("/profile/erase", hers.get("/profile/erase")).status_code == 200
    assert is_erased(acme, sent)
    assert rows(acme, address_undos) == []


def test_an_address_that_was_there_before_can_erase_at_any_time(acme: Portal):
    acme.service.load("acme", [candidate(emails=TWO)])
    reindex(acme)
    ada = signed_in(acme, ADA)
    confirm(ada, ada.form().press(do="emails.remove.1").press())
    acme.work.deliver_what_is_due()
    path = link(acme, WORK)
    assert ada.post("/profile/erase", ada.get("/profile/erase")).status_code == 200
    assert rows(acme, address_undos) == []
    assert open_link(acme, path).status == 404


def test_a_link_is_invalid_at_another_company_and_cannot_be_guessed(acme: Portal):
    acme.add_tenant("globex", "Globex")
    move(acme, signed_in(acme, ADA), NEW)
    path = link(acme)
    assert press(acme, path.replace("/acme/", "/globex/")).status == 404
    assert press(acme, path[:-1] + ("A" if path[-1] != "A" else "B")).status == 404
    assert press(acme, "/acme/profile/undo?key=" + "x" * 5_000).status == 404
    token = path.rpartition("=")[2]
    with acme.parts.database.read() as connection:
        kept = [str(row) for row in connection.execute(sa.select(address_undos))]
    assert kept
    assert not any(token in row or ADA in row or NEW in row for row in kept)


def test_a_cross_site_post_undoes_nothing(acme: Portal):
    move(acme, signed_in(acme, ADA), NEW)
    path = link(acme)
    with acme.browser() as client:
        answer = client.post(path, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    acme.work.deliver_what_is_due()
    assert emails(acme) == [NEW]
