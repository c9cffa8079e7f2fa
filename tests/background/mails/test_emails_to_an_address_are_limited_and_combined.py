"""Emails that anyone can cause to an address are limited: five a day, then one an hour, then one a day."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from itertools import count

import pytest
import sqlalchemy as sa

from portal.background.mails import queue, quota
from portal.background.mails.tables import letters
from portal.background.outbox.claim import claim
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.states import HeldFor, OutboxState
from portal.delivery.envelopes import person
from portal.delivery.envelopes.accept import confirmation_key
from portal.delivery.envelopes.handler import DeliveryHandler
from portal.delivery.kinds import KINDS
from portal.tenants.model import MailAddresses, Tenant
from tests.background.mails.post import SomeTenants, handler, send_all, text
from tests.delivery.envelopes.desk import ACME, SECRET, Desk

JOSE = "jose@people.example"
GLOBEX = replace(ACME, slug="globex", name="Globex", mail=MailAddresses("Globex <jobs@globex.example>", None))
HOUR, DAY = 3_600, 86_400
FORMS = count(1)


def apply(
    desk: Desk, times: int = 1, email: str = JOSE, tenant: Tenant = ACME, held_for: HeldFor | None = None, **said: str
) -> list[str]:
    """Send that many applications with different content; return their references."""
    references = []
    for number in [next(FORMS) for _ in range(times)]:
        new = desk.filled(
            f"{number:032x}", email=email, first_name=f"J{number}", title=f"Job {number}", upload="", **said
        )
        references.append(desk.send(replace(new, upload=None, held_for=held_for), tenant=tenant))
    return references


def prove(desk: Desk, email: str = JOSE, tenant: str = "acme") -> None:
    with desk.db.write() as connection:
        told = {"tenant": tenant, "recipient": email, "network": "", "now": desk.clock.now()}
        quota.prove(connection, desk.seal, **told)


def waits(desk: Desk, reference: str) -> bool:
    with desk.db.read() as connection:
        mine = (letters.c.about == reference, letters.c.gathering.is_not(None), letters.c.sealed.is_not(None))
        return connection.execute(sa.select(letters.c.id).where(*mine)).first() is not None


def after(desk: Desk, seconds: float, tenants: tuple[Tenant, ...] = (ACME, GLOBEX)) -> list[EmailMessage]:
    """Return the emails that were sent once that time has passed."""
    before = len(send_all(desk, tenants))
    desk.clock.pass_time(seconds)
    return send_all(desk, tenants)[before:]


def test_five_emails_a_day_are_sent_immediately_and_the_sixth_waits(desk: Desk):
    assert [waits(desk, one) for one in apply(desk, 6)] == [False] * 5 + [True]
    assert len(send_all(desk)) == 5


def test_waiting_emails_are_combined_an_hour_later_with_each_job(desk: Desk):
    references = apply(desk, 9)
    assert after(desk, HOUR - 1) == []
    (letter,) = after(desk, 1)
    assert letter["To"] == JOSE
    assert letter["From"] == "Acme careers <careers@acme.example>"
    assert letter["Subject"] == "Your applications at Acme"
    for reference in references[5:]:
        assert reference in text(letter)
        assert f"https://careers.example/acme/applications/{reference}" in text(letter)
        assert reference in letter.get_body(("html",)).get_content()
    assert text(letter).count("Acme") >= 4
    assert "1 June 2026" in text(letter)
    assert not any(reference in text(letter) for reference in references[:5])
    assert not any(waits(desk, reference) for reference in references)
    assert after(desk, DAY) == []


def test_the_limit_is_reset_after_a_day(desk: Desk):
    apply(desk, 5)
    desk.clock.pass_time(DAY - 1)
    assert waits(desk, *apply(desk))
    desk.clock.pass_time(1)
    assert [waits(desk, one) for one in apply(desk, 6)] == [False] * 5 + [True]


def test_the_limit_for_all_companies_together_is_ten(desk: Desk):
    others = [replace(ACME, slug=f"company-{n}") for n in range(3)]
    for other in others:
        assert [waits(desk, one) for one in apply(desk, 3, tenant=other)] == [False] * 3
    assert [waits(desk, one) for one in apply(desk, 2)] == [False, True]


def test_after_three_combined_emails_there_is_one_a_day(desk: Desk):
    apply(desk, 5)
    seen, sent = len(send_all(desk)), []
    for hour in range(1, 101):
        apply(desk)
        desk.clock.pass_time(HOUR)
        new = send_all(desk)[seen:]
        seen += len(new)
        sent += [hour for letter in new if letter["Subject"] == "Your applications at Acme"]
    assert sent == [1, 2, 3, 27, 51, 75, 99]


def test_days_without_emails_reset_the_limit(desk: Desk):
    apply(desk, 5)
    for _ in range(3):
        apply(desk)
        after(desk, HOUR)
    apply(desk)
    assert after(desk, DAY - 1) == []
    assert len(after(desk, 1)) == 1
    desk.clock.pass_time(8 * DAY)
    apply(desk, 6)
    assert len(after(desk, HOUR)) == 1


def test_a_recently_verified_address_has_ten_times_the_limit(desk: Desk):
    prove(desk)
    assert [waits(desk, one) for one in apply(desk, 51)] == [False] * 50 + [True]


@pytest.mark.parametrize(("days", "late"), [(89, False), (90, True)])
def test_a_verification_counts_for_ninety_days(desk: Desk, days: int, late: bool):
    prove(desk)
    desk.clock.pass_time(days * DAY)
    assert waits(desk, apply(desk, 6)[-1]) is late


def test_spellings_of_one_mailbox_share_limits_and_a_combined_email(desk: Desk):
    ways = ["jose.g@gmail.com", "joseg+a@gmail.com", "j.o.s.e.g@googlemail.com", "JoseG@gmail.com", "joseg+b@gmail.com"]
    for way in ways:
        assert not waits(desk, *apply(desk, email=way))
    late = apply(desk, email="jos.eg@gmail.com")
    desk.clock.pass_time(1)
    late += apply(desk, email="joseg+c@googlemail.com")
    assert all(waits(desk, reference) for reference in late)
    (letter,) = after(desk, HOUR)
    assert letter["To"] == "joseg+c@googlemail.com"
    assert all(reference in text(letter) for reference in late)


def test_addresses_that_may_differ_share_limits_but_no_combined_email(desk: Desk):
    apply(desk, 5)
    (one,), (other,) = apply(desk, email="jose+1@people.example"), apply(desk, email="jose+2@people.example")
    (first,) = after(desk, HOUR)
    assert (first["To"], one in text(first), other in text(first)) == ("jose+1@people.example", True, False)
    (second,) = after(desk, HOUR)
    assert (second["To"], one in text(second), other in text(second)) == ("jose+2@people.example", False, True)


def test_combined_emails_of_a_company_do_not_name_others(desk: Desk):
    apply(desk, 5)
    apply(desk, 5, tenant=GLOBEX)
    (here,), (there,) = apply(desk), apply(desk, tenant=GLOBEX)
    (letter,) = after(desk, HOUR)
    assert letter["From"] == "careers@careers.example"
    assert letter["Subject"] == "Your applications"
    assert f"https://careers.example/acme/applications/{here}" in text(letter)
    assert f"https://careers.example/globex/applications/{there}" in text(letter)
    assert "at Acme" in text(letter)
    assert "at Globex" in text(letter)


def test_a_combined_email_is_in_the_language_of_the_last_application(desk: Desk):
    apply(desk, 6)
    desk.clock.pass_time(1)
    new = desk.filled("f" * 32, title="Letzte", first_name="Zuletzt")
    desk.send(replace(new, locale="de"))
    (letter,) = after(desk, HOUR)
    assert '<html lang="de" ' in letter.get_body(("html",)).get_content()
    assert "1. Juni 2026" in text(letter)


def test_emails_about_rejections_count_and_are_combined(desk: Desk):
    references = apply(desk, 4)
    settling = DeliveryHandler(desk.db, desk.seal, KINDS, SomeTenants(), lambda _: None, desk.clock)
    for reference in references[:2]:
        with desk.db.write() as connection:
            settling.settled(connection, [reference], OutboxState.DEAD, "Rejected")
    assert len([m for m in send_all(desk) if m["To"] == JOSE]) == 5
    (letter,) = [m for m in after(desk, HOUR) if m["To"] == JOSE]
    assert "could not be delivered" in text(letter)
    assert references[1] in text(letter)


def test_combined_emails_contain_confirmation_links(desk: Desk):
    references = apply(desk, 7, held_for=HeldFor.CANDIDATE)
    assert len(send_all(desk)) == 5
    (letter,) = after(desk, HOUR)
    for reference in references[5:]:
        key = confirmation_key(desk.seal, "acme", reference)
        assert f"/acme/applications/{reference}/confirm?key={key}" in text(letter)
        assert f"{reference}/confirm?key={key}" in letter.get_body(("html",)).get_content()
    assert "See the status" not in letter.get_body(("html",)).get_content()


def test_withdrawn_applications_are_omitted_and_empty_emails_not_sent(desk: Desk):
    references = apply(desk, 7)
    told = {"tenant": "acme", "kind": "application", "email": JOSE}
    with desk.db.write() as connection:
        person.withdraw(connection, desk.seal, reference=references[5], now=desk.clock.now(), **told)
    assert not waits(desk, references[5])
    (letter,) = after(desk, HOUR)
    assert (references[5] in text(letter), references[6] in text(letter)) == (False, True)
    (last,) = apply(desk)
    with desk.db.write() as connection:
        person.withdraw(connection, desk.seal, reference=last, now=desk.clock.now(), **told)
    assert after(desk, DAY) == []


def test_an_erasure_removes_the_address_from_waiting_emails(desk: Desk):
    apply(desk, 7)
    with desk.db.write() as connection:
        queue.withdraw_to(connection, desk.seal, tenant="acme", recipient=JOSE, now=desk.clock.now())
    with desk.db.read() as connection:
        assert set(connection.execute(sa.select(letters.c.sealed)).scalars()) == {None}
    assert after(desk, DAY) == []


def test_twenty_concurrent_applications_are_counted_correctly(desk: Desk):
    # Each with another spelling, because applications of one person would be processed in order.
    forms = [desk.filled(f"{next(FORMS):032x}", email=f"jose+{n}@gmail.com") for n in range(20)]
    with ThreadPoolExecutor(20) as pool:
        references = list(pool.map(desk.send, forms))
    assert sum(waits(desk, reference) for reference in references) == 15
    (letter,) = after(desk, HOUR)
    assert sum(reference in text(letter) for reference in references) == 15


def test_emails_queued_during_sending_get_another_combined_email(desk: Desk):
    apply(desk, 6)
    assert len(send_all(desk)) == 5
    desk.clock.pass_time(HOUR)
    (taken,) = claim(desk.db, [queue.KIND], Policy(), desk.clock.now())
    (late,) = apply(desk)
    handler(desk).deliver(taken)
    with desk.db.write() as connection:
        handler(desk).settled(connection, [taken.subject], OutboxState.DELIVERED, None)
    assert waits(desk, late)
    (letter,) = after(desk, HOUR)
    assert late in text(letter)


def test_a_changed_secret_key_keeps_counts_and_waiting_emails(desk: Desk):
    first = apply(desk, 6)
    later = desk.under("a new secret, also 32 characters", SECRET)
    (one,) = apply(later)
    assert waits(later, one)
    (letter,) = after(later, HOUR)
    assert all(reference in text(letter) for reference in (first[5], one))


def test_many_waiting_emails_become_one_of_limited_length(desk: Desk):
    references = apply(desk, 5 + 120)
    (letter,) = after(desk, HOUR)
    assert sum(reference in text(letter) for reference in references) == 100
    assert "20 more do not fit in this email." in text(letter)
    with desk.db.read() as connection:
        assert set(connection.execute(sa.select(letters.c.sealed)).scalars()) == {None}


def test_expired_counts_are_deleted(desk: Desk):
    apply(desk, 7)
    after(desk, HOUR)
    queue.forget_settled(desk.db, before=desk.clock.now() - timedelta(seconds=1))
    with desk.db.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(letters)).scalar() == 3
    queue.forget_settled(desk.db, before=desk.clock.now() + timedelta(seconds=1))
    with desk.db.read() as connection:
        assert connection.execute(sa.select(letters)).all() == []
