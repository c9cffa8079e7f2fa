"""A NUL character, which PostgreSQL cannot store in text, is rejected in every path, query and form of hiring pages."""

import pytest

from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import HiringSite


@pytest.mark.parametrize("path", ["applications/%00/erase", "reply?to=a%00", "log?before=%00"])
def test_a_path_or_query_with_nul_is_rejected(hiring_on_both: HiringSite, path: str):
    assert hiring_on_both.signed_in().get(f"/{path}").status_code in {400, 404}


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/reply", {"subject": "a\0", "body": "b", "then": "send"}),
        ("/reply", {"subject": "a", "body": "b\0", "then": "preview"}),
        ("/words/received", {"subject": "a\0", "body": "b", "locale": "en"}),
        ("/colleagues/role", {"email": "a\0", "role": "reader"}),
        ("/colleagues/remove", {"email": "a\0"}),
        ("/jobs/a/replies/%00/undo", {}),
        ("/colleagues", {"a\0": "x"}),
    ],
)
def test_a_form_with_nul_is_rejected(hiring_on_both: HiringSite, path: str, fields: dict[str, str]):
    application = apply(hiring_on_both, hiring_on_both.office.add_vacancy())
    owner = hiring_on_both.signed_in()
    owner.get("/colleagues")
    assert owner.post(path, **({"to": application} | fields)).status_code in {400, 404}


def test_the_sign_in_page_rejects_nul(hiring_on_both: HiringSite):
    stranger = hiring_on_both.browser()
    stranger.get()
    assert stranger.post(email="a\0@acme.example").status_code == 400
