"""A mail server that defers every message is an outage; a recipient's own server that defers is not."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from portal.adapters.mail.transports import SmtpMailer
from portal.app import health_of
from portal.background.mails import queue as mail_queue
from portal.background.outbox import health
from portal.cli import portal
from portal.operations.health.part import PartHealth, PartName, PartState
from tests.background.mails.test_deferred_recipients_delay_no_sign_in_codes import (
    GREYLISTED,
    ask_for_a_code,
    before_a_relay,
    has,
)
from tests.delivery.scene import Scene
from tests.operations.console.operator_console import open_console
from tests.parts.smtp import HANGS, SmtpServer

LATER = "451 4.3.0 temporary failure"


def defers_everything(smtp: SmtpServer) -> None:
    smtp.answer_to_data = LATER


def breaker(here: Scene) -> str | None:
    return health.open_breakers(here.parts.database).get(mail_queue.LANE)


def mail_part(here: Scene) -> PartHealth:
    here.clock.pass_time(1)
    return next(one for one in health_of(here.parts).of_each() if one.name is PartName.MAIL)


def figure(here: Scene, name: str) -> float:
    text = here.app.test_client().get("/metrics").text
    found = re.search(rf"^{name} ([0-9.]+)$", text, re.MULTILINE)
    assert found, f"no figure {name}"
    return float(found[1])


def ask_from(here: Scene, *domains: str) -> None:
    for domain in domains:
        ask_for_a_code(here, f"ana@{domain}")


THREE = ("one.example", "two.example", "three.example")


def test_three_deferred_domains_open_the_breaker_and_a_success_closes_it(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        defers_everything(smtp)
        ask_from(here, *THREE[:2])
        here.deliver()
        assert breaker(here) is None
        ask_from(here, THREE[2])
        here.deliver()
        assert breaker(here) == "MailDefersAll"
        part = mail_part(here)
        assert part.state is PartState.DOWN
        assert "defers every message" in part.says
        assert "3 wait" in part.says
        assert "next try" in part.says
        assert figure(here, "portal_mail_breaker_open") == 1
        smtp.answer_to_data = None
        here.deliver(after=60)
        assert breaker(here) is None
        assert all(has(smtp, f"ana@{domain}") for domain in THREE)
        assert mail_part(here).state is PartState.OK


def test_the_breaker_stays_open_while_probes_of_any_worker_are_deferred(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        defers_everything(smtp)
        ask_from(here, *THREE)
        here.deliver()
        here.work = type(here.work)(here.parts)  # another worker, without knowledge of it
        for _ in range(5):
            here.deliver(after=15)
            assert breaker(here) == "MailDefersAll"


def test_a_code_is_sent_within_a_minute_after_a_long_outage(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        defers_everything(smtp)
        for number in range(30):
            ask_from(here, f"n{number}.example")
            here.deliver(after=70)
        ask_from(here, "last.example")
        smtp.answer_to_data = None
        here.deliver(after=41)
        here.deliver(after=1)
        assert has(smtp, "ana@last.example")


def test_a_single_deferring_recipient_server_does_not_open_the_breaker(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        smtp.answer_to = lambda _: GREYLISTED
        for number in range(20):
            ask_for_a_code(here, f"p{number}@far.example")
        here.deliver()
        assert breaker(here) is None
        assert health.pauses_left(here.parts.database, here.clock.now()) == {}


def test_a_success_resets_the_count_of_deferrals(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        smtp.answer_to = lambda address: None if address.endswith("near.example") else GREYLISTED
        for domain in (*THREE[:2], "near.example", THREE[2], "four.example"):
            ask_from(here, domain)
            here.deliver()
        assert breaker(here) is None


def test_old_deferrals_do_not_count(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        defers_everything(smtp)
        for domain in THREE:
            ask_from(here, domain)
            here.deliver(after=601)
        # The first two codes have expired, so only the last one is attempted.
        assert breaker(here) is None


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_server_that_hangs_after_the_message_counts_as_an_outage(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        smtp.answer_to_data = HANGS
        for handler in here.work._mail.values():
            mailer = SmtpMailer("127.0.0.1", smtp.port, timeout=0.3)
            handler._composer._mailer = mailer  # type: ignore[attr-defined]  of both handlers; the product waits 15 s
        ask_from(here, *THREE)
        here.deliver()
        assert breaker(here) == "MailDefersAll"
        assert mail_part(here).state is PartState.DOWN


def test_codes_waiting_for_over_a_minute_are_counted_until_they_expire(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        defers_everything(smtp)
        ask_from(here, "one.example")
        here.deliver()
        assert figure(here, "portal_codes_late") == 0
        here.deliver(after=59)
        assert figure(here, "portal_codes_late") == 0
        here.deliver(after=1)
        assert figure(here, "portal_codes_late") == 1
        part = mail_part(here)
        assert (part.state, part.says) == (PartState.DEGRADED, "1 sign-in code waits for more than 60 s")
        here.clock.pass_time(here.parts.settings.code_ttl)
        assert figure(here, "portal_codes_late") == 0


def test_the_console_shows_that_emails_wait_and_until_when(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        defers_everything(smtp)
        ask_from(here, *THREE)
        here.deliver()
        said = open_console(here).read("/")
        assert "Something is wrong" in said
        assert "the mail server defers every message: 3 wait, the next try is at " in said


def checked(here: Scene, smtp: SmtpServer) -> dict[str, Any]:
    """Return the line about mail of `portal check`."""
    settings = here.parts.settings
    told = {
        "PORTAL_SECRET_KEY": settings.secret_key,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": smtp.address,
    }
    done = CliRunner().invoke(portal, ["check", "acme", "--json"], env=told)
    lines: dict[str, dict[str, Any]] = {line["what"]: line for line in json.loads(done.stdout)}
    return lines["mail"]


def test_the_check_reports_deferrals_although_the_server_responds(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        assert checked(here, smtp)["ok"]
        defers_everything(smtp)
        ask_from(here, *THREE)
        here.deliver()
        line = checked(here, smtp)
        assert not line["ok"]
        assert "defers every message" in line["says"]
