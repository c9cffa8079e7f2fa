from dataclasses import replace

import pytest
from itsdangerous import URLSafeSerializer

from portal.app import create_app
from portal.services import Services
from tests.builders import SECRET, Portal
from tests.site.apply.applicant import ADA, Applicant


def submission(hidden: dict[str, str]) -> str:
    payload = hidden["token"].rpartition(".")[0]
    return str(URLSafeSerializer("").load_payload(payload.encode())[3])


def test_an_expired_form_needs_another_click_and_is_still_the_same_form(acme: Portal, ada: Applicant) -> None:
    before = submission(ada.page.hidden)
    acme.parts.clock.sleep(acme.parts.settings.form_ttl + 1)
    page = ada.send()
    assert page.status == 422
    assert "open for a long time" in page.notice
    assert page.typed == ADA
    assert submission(page.hidden) == before
    assert ada.receipt(None)


@pytest.mark.parametrize("token", [None, "", "x", "e30.AAAA", "cut"])
def test_an_invalid_form_is_replaced_and_keeps_the_text(ada: Applicant, token: str | None) -> None:
    before = submission(ada.page.hidden)
    forged = {} if token is None else {"token": ada.page.hidden["token"][:-3] if token == "cut" else token}
    page = ada.send(hidden=forged)
    assert page.status == 422
    assert "which form" in page.notice
    assert page.typed == ADA
    assert submission(page.hidden) != before
    assert page.summary == {"cv": "Your CV was not saved. Choose it again."}
    assert ada.receipt()


def test_a_form_of_another_job_is_rejected(acme: Portal, ada: Applicant) -> None:
    with acme.browser() as client:
        other = Applicant(client, "/acme/jobs/job-2/apply")
        assert ada.send(hidden=other.page.hidden).status == 422


def test_a_form_of_a_former_key_is_accepted(acme: Portal, ada: Applicant) -> None:
    rotated = replace(
        acme.parts.settings, secret_key="the next secret, also 32 characters", secret_key_fallbacks=(SECRET,)
    )
    parts = Services.open(rotated, clock=acme.parts.clock)
    acme.app = create_app(parts)
    with acme.browser() as client:
        assert Applicant(client).receipt(hidden=ada.page.hidden)
    parts.database.close()
