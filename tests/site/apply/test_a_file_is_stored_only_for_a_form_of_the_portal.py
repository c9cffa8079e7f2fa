from pathlib import Path

import pytest

from tests.builders import Portal
from tests.site.apply.applicant import CV, Applicant


def objects(acme: Portal) -> list[Path]:
    return [path for path in (acme.folder / "attachments").glob("*/*") if path.suffix != ".json"]


@pytest.mark.parametrize("token", [None, "", "x", "e30.AAAA", "another job's"])
def test_nothing_is_stored_without_a_valid_form_of_this_job(acme: Portal, ada: Applicant, token: str | None) -> None:
    if token == "another job's":
        token = Applicant(ada.client, "/acme/jobs/job-2/apply").page.hidden["token"]
    page = ada.send(hidden={} if token is None else {"token": token})
    assert page.status == 422
    assert objects(acme) == []
    assert ada.receipt()


def test_an_expired_form_keeps_its_file(acme: Portal, ada: Applicant) -> None:
    acme.parts.clock.sleep(acme.parts.settings.form_ttl + 1)
    assert ada.send().status == 422
    assert len(objects(acme)) == 1
    assert ada.receipt(None)


def test_another_file_replaces_the_first_one(acme: Portal, ada: Applicant) -> None:
    ada.send(email="wrong")
    (first,) = objects(acme)
    page = ada.send(("better.txt", b"A better one.\n" * 9), email="wrong")
    (second,) = objects(acme)
    assert second != first
    assert "better.txt" in page.words
    assert ada.receipt(None)


def test_a_rejected_file_does_not_replace_the_first_one(acme: Portal, ada: Applicant) -> None:
    ada.send(email="wrong")
    first = objects(acme)
    page = ada.send(("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(99)))
    assert CV[0] in page.words
    assert objects(acme) == first
    assert ada.receipt(None)
