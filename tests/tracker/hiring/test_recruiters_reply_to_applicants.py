"""A recruiter writes, previews and sends a reply; bulk replies are sent an hour later and can be undone."""

import re
from dataclasses import dataclass

import pytest

from portal.tracker.hiring import replies
from portal.tracker.hiring.colleagues import Role
from tests.tracker.hiring.site import READER, RECRUITER, HiringBrowser, HiringSite
from tests.tracker.office import submission

HOUR = 3_600
UNDO = re.compile(r"/acme/hiring(/jobs/[^/\"]+/replies/[0-9a-f]+/undo)")


@dataclass
class ReplyScene:
    hiring: HiringSite
    browser: HiringBrowser
    ids: list[str]

    def emails(self, number: int = 0) -> list[str]:
        self.hiring.mails.send_what_is_due()
        return [one.subject for one in self.hiring.outbox.to(f"ada{number}@people.example")]

    def post(self, ids: list[str], then: str, **fields: str) -> int:
        self.browser.get("/account")
        data = {"token": self.browser.token, "to": ids, "kind": "rejection", "locale": "en", "then": then} | fields
        response = self.browser.client.post("/acme/hiring/reply", data=data, follow_redirects=True)
        self.browser.page = response.text
        return response.status_code


def seen(browser: HiringBrowser) -> str:
    """Return the version of the template texts that a page shows."""
    found = re.search(r'name="seen" value="([0-9a-f]+)"', browser.page)
    return found[1] if found else ""


@pytest.fixture
def scene(hiring: HiringSite) -> ReplyScene:
    vacancy = hiring.office.add_vacancy(name="Welder")
    for number in range(3):
        body = submission(email=f"ada{number}@people.example", firstName=f"Ada{number}")
        hiring.office.public.post(f"/acme/vacancy-portal/jobs/{vacancy}", json=body)
    ids = [one["id"] for one in hiring.office.applications(vacancy)]
    return ReplyScene(hiring, hiring.signed_in(RECRUITER), ids)


def test_the_form_has_the_applicants_name_and_the_email_matches_its_preview(scene: ReplyScene):
    page = scene.browser.get(f"/reply?to={scene.ids[0]}&kind=invitation&locale=de")
    assert page.status_code == 200
    assert "Ada0" in scene.browser.page
    assert 'href="/acme/hiring/words/invitation?locale=de"' in scene.browser.page
    assert scene.post(scene.ids[:1], "preview", subject="Come, Ada0", body="Hello Ada0,\n\ncome <b>soon</b>.") == 200
    assert "come &lt;b&gt;soon&lt;/b&gt;." in scene.browser.page
    assert scene.emails() == []
    scene.post(scene.ids[:1], "send", subject="Come, Ada0", body="Hello Ada0,\n\ncome <b>soon</b>.")
    assert scene.emails() == ["Come, Ada0"]
    (email,) = scene.hiring.outbox.to("ada0@people.example")
    assert (email.reply_to, email.as_email()["Reply-To"]) == (RECRUITER, RECRUITER)
    assert "<b>" not in (email.html or "")
    scene.browser.get(f"/applications/{scene.ids[0]}")
    assert f"Replies {RECRUITER}" in scene.browser.words
    assert "Come, Ada0 Hello Ada0, come <b>soon</b>." in scene.browser.words


def test_bulk_replies_are_sent_an_hour_later_with_each_name(scene: ReplyScene):
    assert scene.post(scene.ids, "send", subject="About {job}", body="Hello {first_name}") == 200
    assert [scene.emails(number) for number in range(3)] == [[], [], []]
    scene.hiring.office.clock.pass_time(HOUR)  # type: ignore[attr-defined]  the clock of tests
    assert [scene.emails(number) for number in range(3)] == [["About Welder"]] * 3
    assert "Hello Ada1" in scene.hiring.outbox.to("ada1@people.example")[0].text


def test_undone_replies_are_not_sent(scene: ReplyScene):
    scene.post(scene.ids, "send", subject="No", body="No, {name}")
    address = UNDO.search(scene.browser.page)
    assert address
    scene.browser.post(address[1])
    scene.hiring.office.clock.pass_time(2 * HOUR)  # type: ignore[attr-defined]  as above
    assert [scene.emails(number) for number in range(3)] == [[], [], []]
    assert "Undone" in scene.browser.words
    scene.browser.post(address[1])
    assert "Undone" in scene.browser.words


def test_an_undo_reports_that_all_were_erased_meanwhile(scene: ReplyScene):
    scene.post(scene.ids[:2], "send", subject="No", body="No")
    address = UNDO.search(scene.browser.page)
    assert address
    for one in scene.ids[:2]:
        scene.browser.get(f"/applications/{one}/erase")
        scene.browser.post(f"/applications/{one}/erase")
    scene.browser.post(address[1])
    assert "erased meanwhile" in scene.browser.words
    assert "Too late" not in scene.browser.words


def test_after_the_hour_an_undo_changes_nothing(scene: ReplyScene):
    scene.post(scene.ids, "send", subject="No", body="No")
    address = UNDO.search(scene.browser.page)
    scene.hiring.office.clock.pass_time(HOUR + 1)  # type: ignore[attr-defined]  as above
    assert address
    assert "said=late" in str(scene.browser.post(address[1]).url)
    assert scene.emails() == ["No"]


@pytest.mark.parametrize(
    ("subject", "body", "is_right"),
    [
        ("x" * replies.SUBJECT_LONGEST, "y" * replies.BODY_LONGEST, True),
        ("x" * (replies.SUBJECT_LONGEST + 1), "y", False),
        ("x", "y" * (replies.BODY_LONGEST + 1), False),
        (" ", "y", False),
        ("x", " ", False),
    ],
)
def test_texts_that_are_too_long_or_empty_are_rejected_and_kept(
    scene: ReplyScene, subject: str, body: str, *, is_right: bool
):
    assert scene.post(scene.ids[:1], "preview", subject=subject, body=body) == (200 if is_right else 422)
    assert subject.strip() in scene.browser.page
    assert body.strip() in scene.browser.page


def test_texts_of_the_company_replace_the_default_ones(scene: ReplyScene):
    scene.browser.get("/words/rejection?locale=en")
    words = {"subject": "Sorry, {first_name}", "body": "Not this time: {job}", "seen": seen(scene.browser)}
    scene.browser.post("/words/rejection", locale="en", **words)
    assert "Saved." in scene.browser.words
    scene.browser.get(f"/reply?to={scene.ids[1]}&kind=rejection&locale=en")
    assert "Sorry, Ada1" in scene.browser.page
    assert "Not this time: Welder" in scene.browser.page


def test_readers_and_other_companies_cannot_send(scene: ReplyScene):
    hiring = scene.hiring
    hiring.office.neighbour()
    hiring.add(RECRUITER, Role.RECRUITER, "globex")
    reader, stranger = hiring.signed_in(READER), hiring.signed_in(RECRUITER, "globex")
    assert reader.get(f"/reply?to={scene.ids[0]}").status_code == 403
    assert stranger.get(f"/reply?to={scene.ids[0]}").status_code == 404
    reader.get("/account")
    words = {"kind": "rejection", "locale": "en", "subject": "x", "body": "y", "then": "send"}
    assert reader.post("/reply", to=scene.ids[0], **words).status_code == 403
    stranger.get("/account")
    assert stranger.post("/reply", to=scene.ids[0], **words).status_code == 404
    assert scene.emails() == []


def test_each_company_has_its_own_texts(scene: ReplyScene):
    hiring = scene.hiring
    hiring.office.neighbour()
    hiring.add(RECRUITER, Role.RECRUITER, "globex")
    stranger = hiring.signed_in(RECRUITER, "globex")
    stranger.get("/words/rejection?locale=en")
    stranger.post("/words/rejection", locale="en", subject="Theirs", body="Theirs", seen=seen(stranger))
    assert "Saved." in stranger.words
    scene.browser.get("/words/rejection?locale=en")
    assert "Theirs" not in scene.browser.page


def test_a_placeholder_in_a_name_is_not_replaced(hiring: HiringSite):
    vacancy = hiring.office.add_vacancy(name="Dev {first_name}")
    hiring.office.apply(vacancy, email="ada0@people.example", firstName="{name} {colleague}")
    (one,) = hiring.office.applications(vacancy)
    scene = ReplyScene(hiring, hiring.signed_in(RECRUITER), [one["id"]])
    scene.browser.get(f"/reply?to={one['id']}&kind=received&locale=en")
    assert "Your application: Dev (first_name)" in scene.browser.page
    scene.post(scene.ids, "send", subject="{job}", body="Hello {first_name}")
    assert scene.emails() == ["Dev (first_name)"]
    assert "Hello (name) (colleague)" in hiring.outbox.to("ada0@people.example")[0].text


def test_placeholders_are_replaced_only_once(hiring: HiringSite):
    vacancy = hiring.office.add_vacancy(name="Dev {first_name}")
    hiring.office.apply(vacancy, email="ada0@people.example")
    (one,) = hiring.office.applications(vacancy)
    scene = ReplyScene(hiring, hiring.signed_in(RECRUITER), [one["id"]])
    scene.browser.get(f"/reply?to={one['id']}&kind=received&locale=en")
    subject = re.search(r'name="subject"[^>]*value="([^"]*)"', scene.browser.page)
    assert subject
    scene.post(scene.ids, "send", subject=subject[1], body="Hello")
    assert scene.emails() == ["Your application: Dev (first_name)"]


@pytest.mark.parametrize("count", [1, 2])
def test_a_form_that_is_posted_twice_is_sent_once(scene: ReplyScene, count: int):
    scene.browser.get("/account")
    data = {"token": scene.browser.token, "to": scene.ids[:count], "kind": "rejection", "locale": "en", "then": "send"}
    for _ in range(2):
        scene.browser.client.post("/acme/hiring/reply", data=data | {"subject": "No", "body": "No."})
    scene.hiring.office.clock.pass_time(HOUR + 1)  # type: ignore[attr-defined]  as above
    assert scene.emails() == ["No"]
