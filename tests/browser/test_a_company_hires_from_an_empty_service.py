"""A company without recruiting software, from two commands to the hire: every step in Chromium, on real servers.

Each step is a function, and begins where the previous one ended."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.hiring_beside_a_portal import HiringBesideAPortal, hiring_beside_a_portal, sign_in, text
from tests.parts.chromium import TIMEOUT

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("hiring")]
PASSES = {
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True},
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "without-scripts": {"viewport": {"width": 390, "height": 844}, "java_script_enabled": False},
}
DAILY = "phone"
"""The pass that `make test` makes; the others are those of `make verify`."""


@dataclass
class Hiring:
    """One company: a browser for each person, and the page where the recruiter is."""

    at: HiringBesideAPortal
    slug: str
    owner: BrowserContext
    recruiter: BrowserContext
    candidate: BrowserContext

    def address(self, who: str) -> str:
        return f"{who}@{self.slug}.example"

    @property
    def desk(self) -> Page:
        return self.recruiter.pages[-1]

    @property
    def start(self) -> str:
        return f"{self.at.service}/{self.slug}/hiring"


def reload_until(page: Page, true: Callable[[], bool], what: str) -> None:
    for _ in range(TIMEOUT // 200):
        if true():
            return
        page.wait_for_timeout(200)
        page.reload()
    raise AssertionError(f"not in time: {what}")


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiringBesideAPortal]:
    with hiring_beside_a_portal(tmp_path_factory.mktemp("hiring"), tuple(PASSES)) as started:
        yield started


def the_owner_signs_in_where_the_command_said(hiring: Hiring, _: Path) -> None:
    address = re.search(r"Sign in: (\S+)", hiring.at.said[hiring.slug])
    assert address
    assert address[1] in text(hiring.at.mail(hiring.address("owner"), "hiring pages"))
    sign_in(hiring.owner, hiring.at, address[1], hiring.address("owner"))
    expect(hiring.owner.pages[-1].get_by_text("No jobs yet.")).to_be_visible()


def a_colleague_is_invited(hiring: Hiring, _: Path) -> None:
    page = hiring.owner.pages[-1]
    page.get_by_text(hiring.address("owner")).locator("..").click()
    page.get_by_role("link", name="Colleagues").click()
    page.get_by_label("Email address").fill(hiring.address("recruiter"))
    page.get_by_label("Role", exact=True).select_option("Recruiter")
    page.get_by_role("button", name="Send invitation").click()
    expect(page.get_by_role("status")).to_have_text("The invitation is on its way.")
    invited = re.search(r"http\S+/hiring\b", text(hiring.at.mail(hiring.address("recruiter"), "hiring pages")))
    assert invited
    sign_in(hiring.recruiter, hiring.at, invited[0], hiring.address("recruiter"))
    menu = hiring.desk.get_by_text(hiring.address("recruiter")).locator("..")
    menu.click()
    expect(hiring.desk.get_by_role("link", name="Words of replies")).to_be_visible()
    expect(hiring.desk.get_by_role("link", name="Colleagues")).to_have_count(0)
    menu.click()


def a_job_is_written_and_posted(hiring: Hiring, _: Path) -> None:
    page = hiring.desk
    page.get_by_role("link", name="New job").click()
    page.get_by_label("Title").fill("Welder")
    page.get_by_label("Description").fill("## Tasks\n\nYou **weld** ships.\n\n- one\n- two")
    if hiring.slug != "without-scripts":
        expect(page.get_by_role("region", name="Preview").get_by_role("heading", name="Tasks")).to_be_visible()
    page.get_by_label("Place", exact=True).and_(page.locator("input")).fill("Leipzig, Germany")
    page.get_by_label("Job type").select_option("Full-time")
    page.get_by_label("Salary from").fill("30000")
    page.get_by_label("Salary to").fill("40000")
    page.get_by_label("Currency").fill("EUR")
    page.get_by_role("button", name="Preview and publish").click()
    shown = page.get_by_role("article", name="As applicants will see it")
    expect(shown.get_by_role("heading", name="Welder")).to_be_visible()
    expect(shown.get_by_role("heading", name="Tasks")).to_be_visible()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Open", exact=True)).to_be_visible()


def somebody_applies_with_a_cv(hiring: Hiring, cv: Path) -> None:
    page = hiring.candidate.new_page()
    page.goto(f"{hiring.at.portal}/{hiring.slug}/")
    job = page.get_by_role("link", name="Welder")
    reload_until(page, lambda: job.count() > 0, "the portal shows the job")
    job.first.click()
    page.locator("a[href*='/apply']").locator("visible=true").first.click()
    page.locator("[name=firstName]").fill("Ada")
    page.locator("[name=lastName]").fill("Okafor")
    page.locator("[name=email]").fill(hiring.address("ada"))
    page.locator("[name=phoneNumber]").fill("+49 30 901820")
    page.locator("[name=city]").fill("Berlin")
    page.locator("[name=country]").select_option("DE")
    page.locator("[name=cv]").set_input_files(cv)
    page.locator("form[data-apply] button[type=submit]").last.click()
    page.wait_for_url(re.compile(r"/applications/[A-Z0-9]{20}"))


def the_recruiter_is_notified_and_the_cv_is_not_in_the_email(hiring: Hiring, _: Path) -> None:
    mail = hiring.at.mail(hiring.address("recruiter"), "Ada Okafor")
    said = text(mail)
    assert "Welder" in said
    assert hiring.address("ada") not in mail.as_string()
    assert {part.get_content_maintype() for part in mail.walk()} <= {"multipart", "text"}
    link = re.search(r"http\S+/applications/\S+", said)
    assert link
    hiring.desk.goto(link[0])
    expect(hiring.desk.get_by_role("heading", name="Ada Okafor")).to_be_visible()


def the_application_and_the_cv_are_read(hiring: Hiring, cv: Path) -> None:
    page = hiring.desk
    expect(page.get_by_text(hiring.address("ada"))).to_be_visible()
    expect(page.get_by_text(re.compile(r"\+49 ?30 ?901820"))).to_be_visible()
    address = page.get_by_role("link", name="Open the CV").get_attribute("href")
    answer = hiring.recruiter.request.get(f"{hiring.at.service}{address}")
    assert (answer.headers["content-type"], answer.body()) == ("application/pdf", cv.read_bytes())


def she_is_rated_and_noted(hiring: Hiring, _: Path) -> None:
    page = hiring.desk
    page.get_by_role("button", name="4 of 5").click()
    expect(page.get_by_role("button", name="4 of 5")).to_have_attribute("aria-pressed", "true")
    page.get_by_label("New note").fill("Welds under water.")
    page.get_by_role("button", name="Save the note").click()
    expect(page.get_by_text("Welds under water.")).to_be_visible()


def reply(hiring: Hiring, kind: str) -> str:
    """Send her the company's text of that kind; return the email that arrives."""
    page = hiring.desk
    page.get_by_role("link", name="Reply").click()
    page.get_by_role("button", name=kind, exact=True).click()
    expect(page.get_by_label("Text")).to_have_value(re.compile("Ada"))
    subject = page.get_by_label("Subject").input_value()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name=subject)).to_be_visible()
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("heading", name="Replies").wait_for()
    mail = hiring.at.mail(hiring.address("ada"), subject)
    assert mail["Reply-To"] == hiring.address("recruiter")
    return text(mail)


def she_is_invited(hiring: Hiring, _: Path) -> None:
    stage = hiring.desk.get_by_role("button", name="Interview", exact=True)
    stage.click()
    expect(stage).to_have_attribute("aria-pressed", "true")
    assert "Welder" in reply(hiring, "Invitation")


def she_is_rejected_and_moved_with_the_email(hiring: Hiring, _: Path) -> None:
    assert "Welder" in reply(hiring, "Rejection")
    pressed = hiring.desk.get_by_role("button", name="Rejected", exact=True, pressed=True)
    reload_until(hiring.desk, lambda: pressed.count() > 0, "the stage is the one that the email names")


def the_job_is_closed_and_leaves_the_portal(hiring: Hiring, _: Path) -> None:
    page = hiring.desk
    page.get_by_role("link", name="Jobs", exact=True).click()
    page.get_by_role("link", name="Welder", exact=True).click()
    page.get_by_label("Why it is closed").select_option("Closed without hiring")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_text("Closed", exact=True)).to_be_visible()
    portal = hiring.candidate.pages[-1]
    portal.goto(f"{hiring.at.portal}/{hiring.slug}/")
    job = portal.get_by_role("link", name="Welder")
    reload_until(portal, lambda: job.count() == 0, "the portal no longer shows the job")


def the_person_is_erased_with_the_cv(hiring: Hiring, _: Path) -> None:
    assert hiring.at.cvs(hiring.slug)
    page = hiring.desk
    page.get_by_role("link", name="Applications").click()
    page.get_by_role("link", name="Ada Okafor").click()
    page.get_by_role("link", name="Erase").click()
    expect(page.get_by_text("This cannot be undone.")).to_be_visible()
    page.get_by_role("button", name="Erase").click()
    page.get_by_role("link", name="0 applications").click()
    expect(page.get_by_text("No applications here.")).to_be_visible()
    assert hiring.at.cvs(hiring.slug) == []


def the_owner_reads_the_audit_log(hiring: Hiring, _: Path) -> None:
    page = hiring.owner.pages[-1]
    page.get_by_text(hiring.address("owner")).locator("..").first.click()
    page.get_by_role("link", name="Activity").click()
    for did in ("published the job Welder.", "rated", "replied to", "closed the job Welder.", "erased personal data"):
        expect(page.get_by_text(f"{hiring.address('recruiter')} {did}").first).to_be_visible()


STEPS = (
    the_owner_signs_in_where_the_command_said,
    a_colleague_is_invited,
    a_job_is_written_and_posted,
    somebody_applies_with_a_cv,
    the_recruiter_is_notified_and_the_cv_is_not_in_the_email,
    the_application_and_the_cv_are_read,
    she_is_rated_and_noted,
    she_is_invited,
    she_is_rejected_and_moved_with_the_email,
    the_job_is_closed_and_leaves_the_portal,
    the_person_is_erased_with_the_cv,
    the_owner_reads_the_audit_log,
)


@pytest.mark.parametrize("how", [pytest.param(one, marks=[] if one == DAILY else pytest.mark.verify) for one in PASSES])
def test_every_step_from_two_commands_to_the_erasure_works(
    chromium: Browser, sites: HiringBesideAPortal, files: Path, how: str
):
    hiring = Hiring(sites, how, *(chromium.new_context(**PASSES[how]) for _ in range(3)))
    for step in STEPS:
        step(hiring, files / "cv.pdf")
    for context in (hiring.owner, hiring.recruiter, hiring.candidate):
        context.close()
