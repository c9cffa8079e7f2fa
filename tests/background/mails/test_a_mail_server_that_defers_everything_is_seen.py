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
from tests.background.mails.test_one_mailbox_delays_nobody_elses_code import (
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


def test_three_domains_in_a_row_open_the_breaker_and_the_first_success_closes_it(portal_url: str, tmp_path: Path):
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


def test_it_stays_open_while_every_probe_is_deferred_whichever_worker_sends_it(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        defers_everything(smtp)
        ask_from(here, *THREE)
        here.deliver()
        here.work = type(here.work)(here.parts)  # another worker, which has seen nothing of it
        for _ in range(5):
            here.deliver(after=15)
            assert breaker(here) == "MailDefersAll"


def test_after_a_long_outage_a_code_comes_within_a_minute_of_its_end(portal_url: str, tmp_path: Path):
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


def test_one_recipients_server_that_defers_opens_nothing(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        smtp.answer_to = lambda _: GREYLISTED
        for number in range(20):
            ask_for_a_code(here, f"p{number}@far.example")
        here.deliver()
        assert breaker(here) is None
        assert health.pauses_left(here.parts.database, here.clock.now()) == {}


def test_a_success_in_between_begins_the_count_anew(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        smtp.answer_to = lambda address: None if address.endswith("near.example") else GREYLISTED
        for domain in (*THREE[:2], "near.example", THREE[2], "four.example"):
            ask_from(here, domain)
            here.deliver()
        assert breaker(here) is None


def test_deferrals_that_are_long_past_count_for_nothing(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        defers_everything(smtp)
        for domain in THREE:
            ask_from(here, domain)
            here.deliver(after=601)
        # The two that were asked for first are of no use any more, so only the last one's try is left.
        assert breaker(here) is None


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_server_that_hangs_after_the_message_is_seen_the_same_way(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        smtp.answer_to_data = HANGS
        for handler in here.work._mail.values():
            mailer = SmtpMailer("127.0.0.1", smtp.port, timeout=0.3)
            handler._composer._mailer = mailer  # type: ignore[attr-defined]  of both handlers; the product waits 15 s
        ask_from(here, *THREE)
        here.deliver()
        assert breaker(here) == "MailDefersAll"
        assert mail_part(here).state is PartState.DOWN


def test_a_code_that_waits_for_more_than_a_minute_is_counted_until_nobody_can_use_it(portal_url: str, tmp_path: Path):
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


def test_the_desk_says_that_mail_waits_and_until_when(portal_url: str, tmp_path: Path):
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


def test_the_check_says_so_though_the_server_greets_as_always(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        assert checked(here, smtp)["ok"]
        defers_everything(smtp)
        ask_from(here, *THREE)
        here.deliver()
        line = checked(here, smtp)
        assert not line["ok"]
        assert "defers every message" in line["says"]
