"""Self-service works on SQLite and PostgreSQL, on the portal's host and the tenant's own."""

from pathlib import Path

import httpx

from tests import builders
from tests.site.account.candidate import ADA, Visitor, at_service, candidate, code_in, mailbox, text
from tests.site.account.conftest import FILE
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.account.test_a_new_address_is_confirmed_before_it_is_sent import NEW, ask_to_add, post
from tests.site.apply.applicant import Page


def test_sign_in_change_confirm_track_and_erase(tmp_path: Path, portal_url: str):
    made = builders.portal(tmp_path / "portal", database_url=portal_url)
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [candidate()])
    made.work.index_what_is_due()
    ada = Visitor(made)
    ada.sign_in()
    confirm(ada, ada.form().press(firstName="Augusta"))
    made.work.deliver_what_is_due()
    prove = ask_to_add(ada)
    made.work.deliver_what_is_due()
    assert "Received" in post(ada, prove, code=code_in(mailbox(made)[-1])).page.words
    made.work.deliver_what_is_due()
    (record,) = at_service(made)
    assert record["name"]["firstName"] == "Augusta"
    assert [one["email"] for one in record["emails"]["emails"]] == [ADA, NEW]
    assert ada.get("/profile/applications").status == 200
    assert ada.post("/profile/erase", ada.get("/profile/erase")).status_code == 200
    made.work.deliver_what_is_due()
    made.work.run_housekeeping()
    assert ada.client.get("/acme/profile/edit").status_code == 303
    made.parts.database.close()


def test_on_the_tenants_own_host_links_and_cookies_belong_to_it(tmp_path: Path):
    made = builders.portal(tmp_path / "portal", base_url="https://portal.example")
    made.add_tenant("acme", "Acme", FILE + '[site]\nhosts = ["careers.acme.example"]\n')
    made.service.load("acme", [candidate()])
    made.work.index_what_is_due()
    client = httpx.Client(transport=httpx.WSGITransport(app=made.app), base_url="https://careers.acme.example")

    def send(path: str, **typed: str) -> httpx.Response:
        page = Page(client.get(path))
        assert f'action="{path}"' in page.text
        return client.post(path, files={k: (None, v) for k, v in {**page.hidden, **typed}.items()})

    assert send("/profile", email=ADA).headers["location"] == "/profile/code"
    made.work.deliver_what_is_due()
    letter = mailbox(made)[-1]
    assert "portal.example" not in text(letter)
    assert send("/profile/code", code=code_in(letter)).headers["location"] == "/profile/applications"
    assert client.get("/profile/edit").status_code == 200
    client.close()
    made.parts.database.close()


def test_no_posted_data_causes_a_database_error(tmp_path: Path, portal_url: str):
    made = builders.portal(tmp_path / "portal", database_url=portal_url)
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [candidate()])
    made.work.index_what_is_due()
    ada = Visitor(made)
    ada.sign_in()
    for odd in ("%00", "%ff", "x" * 5_000, "../..", "%F0%9F%98%80"):
        for path in (f"/profile/edit?again={odd}", f"/profile?to={odd}"):
            assert ada.client.get(f"/acme{path}").status_code == 200
    for odd in ("%00", "x" * 5_000, "NOSUCHREFERENCE"):
        assert ada.client.get(f"/acme/profile/changes/{odd}").status_code == 404
    made.parts.database.close()
