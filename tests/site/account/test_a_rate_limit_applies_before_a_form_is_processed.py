"""A network's rate limit applies before fields are parsed, tokens checked or the database is queried.

So the database is unavailable in these tests, and the posts are invalid: neither matters. Typed text is returned."""

from collections.abc import Iterator
from contextlib import contextmanager

from portal.site.forms.rate_limits import PostLimit, hit_post_limits
from tests.builders import Portal
from tests.site.account.candidate import Visitor
from tests.site.apply.applicant import ADA as APPLICANT
from tests.site.apply.applicant import Applicant, Page
from tests.site.apply.test_internal_errors_lose_no_typed_text import take_away

HERE = "127.0.0.1"


@contextmanager
def without_database(portal: Portal) -> Iterator[None]:
    bring_back = take_away(portal, portal.folder / "portal.db")
    try:
        yield
    finally:
        bring_back()


def test_an_application_form_keeps_its_text_and_its_cv(acme: Portal) -> None:
    with acme.browser() as client:
        ada = Applicant(client)
        upload = ada.send(email="wrong").hidden["upload"]
        while hit_post_limits(acme.parts.throttle, PostLimit.APPLICATION, HERE) is None:
            pass
        with without_database(acme):
            page = ada.send(None, email="wrong")
        assert page.status == 429
        assert page.typed == {**APPLICANT, "email": "wrong"}
        assert page.hidden["upload"] == upload
        assert "You only need to choose your CV" not in page.notice
        acme.parts.clock.pass_time(3_600)
        assert ada.receipt(None)


def test_requests_for_a_code_are_limited(acme: Portal, ada: Visitor) -> None:
    form = ada.get("/profile")
    for _ in range(1_000):
        assert hit_post_limits(acme.parts.throttle, PostLimit.CODE_REQUEST, HERE) is None
    with without_database(acme):
        page = Page(ada.post("/profile", form, token="forged", email="no address"))
    assert page.status == 429
    assert 1 <= int(page.headers["retry-after"]) <= 3_600
    assert page.typed["email"] == "no address"


def test_invalid_requests_count_too(acme: Portal, ada: Visitor) -> None:
    form = ada.get("/profile")
    answers = [ada.post("/profile", form, email="no address").status_code for _ in range(5)]
    assert answers == [422] * 5
    left = sum(1 for _ in range(1_000) if hit_post_limits(acme.parts.throttle, PostLimit.CODE_REQUEST, HERE) is None)
    assert left == 995


def test_entered_codes_are_limited(acme: Portal, ada: Visitor) -> None:
    form = ada.get("/profile/code")
    while hit_post_limits(acme.parts.throttle, PostLimit.CODE, HERE) is None:
        pass
    with without_database(acme):
        assert ada.post("/profile/code", form, token="forged", code="12345678").status_code == 429


def test_a_profile_form_keeps_its_text(acme: Portal, ada: Visitor) -> None:
    ada.sign_in()
    form = ada.form()
    for _ in range(3_000):
        assert hit_post_limits(acme.parts.throttle, PostLimit.PROFILE, HERE) is None
    with without_database(acme):
        later = form.press(firstName="x" * 300, upload="as it came")
    assert later.page.status == 429
    assert "Everything you entered is still here" in later.page.notice
    assert later.fields == {**form.fields, "firstName": "x" * 300, "upload": "as it came"}


def test_a_list_that_was_not_posted_is_not_returned_as_an_empty_one(acme: Portal, ada: Visitor) -> None:
    """Otherwise sending the form again would delete the list from the profile."""
    ada.sign_in()
    form = ada.form()
    left_out = dict.fromkeys([name for name in form.fields if name.startswith("phoneNumbers")])
    while hit_post_limits(acme.parts.throttle, PostLimit.PROFILE, HERE) is None:
        pass
    later = form.press(**left_out)
    assert [name for name in later.fields if name.startswith("phoneNumbers")] == []
