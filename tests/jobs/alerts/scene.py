"""A person with a job alert, and a company whose jobs change."""

import re
from dataclasses import dataclass
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests import builders
from tests.site.account.candidate import Visitor, mailbox, mailed, text
from tests.site.apply.applicant import Page
from tests.site.browse.jobs import vacancy
from tests.told_clock import ToldClock

EVE = "eve@people.example"
BASE = "http://careers.example"
FILE = """
[publish]
stages = ["Open"]
[site]
locales = ["en", "de"]
timezone = "Europe/Berlin"
"""
DAY = 86_400


@dataclass
class Scene:
    """The company Acme, its jobs, and its sent emails."""

    portal: builders.Portal

    @property
    def clock(self) -> ToldClock:
        clock = self.portal.parts.clock
        assert isinstance(clock, ToldClock)
        return clock

    def publish(self, *lines: str) -> None:
        self.portal.service.load("acme", list(lines))
        self.clock.pass_time(120)
        self.portal.work.mirror_what_is_due()

    def work(self) -> list[EmailMessage]:
        """Run the worker once; return the emails that it sends."""
        before = len(mailed(self.portal))
        self.portal.work.queue_job_alerts()
        self.portal.work.run_housekeeping()
        self.portal.work.deliver_what_is_due()
        return mailbox(self.portal, after=before)

    def pass_days(self, days: float) -> list[EmailMessage]:
        """Run the worker every six hours for these days; return the emails."""
        came: list[EmailMessage] = []
        for _ in range(int(days * 4)):
            self.clock.pass_time(DAY / 4)
            came += self.work()
        return came

    def ask(self, search: str = "", email: str = EVE, every: str = "day", **headers: str) -> httpx.Response:
        visitor = Visitor(self.portal, headers=headers)
        page = visitor.get(f"/alerts{search}")
        return visitor.post("/alerts" + ("?lang=de" if "lang=de" in search else ""), page, email=email, every=every)

    def subscribe(self, search: str = "", email: str = EVE, every: str = "day") -> str:
        """Request and confirm an alert; return the path of its page."""
        assert self.ask(search, email, every).status_code == 303
        (letter,) = self.work()
        path = link(letter, "/alerts/")
        answer = self.press(path)
        assert answer.status_code == 303, answer.text
        return path

    def open(self, path: str) -> Page:
        with self.portal.browser() as browser:
            return Page(browser.get(path))

    def press(self, path: str, what: str = "keep", **typed: str) -> httpx.Response:
        """Press a button on an alert's page."""
        parts = urlsplit(path)
        way = f"{parts.path.removesuffix('/end')}/{what}?{parts.query}"
        with self.portal.browser() as browser:
            return browser.post(way, data={"every": "day", **typed})


def link(letter: EmailMessage, part: str) -> str:
    """Return the path of the first link in an email's text that contains this, as a browser requests it."""
    found = next(one for one in re.findall(r"https?://\S+", text(letter)) if part in one)
    parts = urlsplit(found)
    return f"{parts.path}?{parts.query}"


def scene(folder: Path, database_url: str | None = None) -> Scene:
    made = builders.portal(folder, database_url=database_url, base_url=BASE)
    made.add_tenant("acme", "Acme Robotics", FILE)
    found = Scene(made)
    found.publish(vacancy("job-1", "Welder"), vacancy("job-2", "Baker", city="Bonn"))
    return found


def at_berlin(letter: EmailMessage) -> int:
    """Return the hour, in Berlin's summer time, at which it was sent."""
    sent = letter["Date"].datetime
    return int((sent + timedelta(hours=2)).hour)
