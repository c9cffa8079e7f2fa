import logging
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from portal.platform.errors import DatabaseUnavailable
from portal.platform.logs.events import Event
from portal.site.forms.rate_limits import count_file
from tests.builders import Portal
from tests.parts.misbehaving import answer, html, misbehaving
from tests.site.apply.applicant import ADA, CV, Applicant
from tests.site.apply.conftest import LIMIT, portal_with


def reasons(caplog: pytest.LogCaptureFixture) -> list[object]:
    """Return why forms were rejected, according to the log."""
    events = [one.msg for one in caplog.records if isinstance(one.msg, Event) and one.msg.event == "refused"]
    return [one.facts()["reason"] for one in events]


def test_an_unavailable_storage(acme: Portal, ada: Applicant, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    folder = acme.folder / "attachments"
    aside = folder.rename(folder.with_name("aside")) if folder.exists() else None
    folder.write_text("not a folder")
    page = ada.send()
    assert page.status == 503
    assert page.headers["retry-after"]
    assert "Your application could not be saved" in page.notice
    assert "You only need to choose your CV again." in page.notice
    assert page.typed == ADA
    assert reasons(caplog) == ["store_away"]
    folder.unlink()
    if aside:
        aside.rename(folder)
    assert ada.receipt()


@pytest.fixture
def no_store(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Portal]:
    """Use a web server as storage that has one response to everything."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "eu-central-1")
    with misbehaving(request.param) as server:
        made = portal_with(tmp_path / "portal", attachments="s3://bucket", s3_endpoint=server.url)
        yield made
        made.parts.database.close()


@pytest.mark.parametrize(
    "no_store",
    [html(), answer(raw=b"", status=204), answer(raw=b"", status=302, headers={"Location": "/again"})],
    indirect=True,
)
def test_a_storage_with_invalid_responses(no_store: Portal):
    with no_store.browser() as browser:
        page = Applicant(browser).send()
    assert page.status == 503
    assert "You only need to choose your CV again." in page.notice
    assert page.typed == ADA


@contextmanager
def files_that_may_grow_to(size: int) -> Iterator[None]:
    """Make writing beyond this size fail with OSError, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    told = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, told)


@pytest.mark.parametrize("acme", [{"max_cv_bytes": 2_000_000}], indirect=True)
def test_a_full_temporary_folder(ada: Applicant, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with files_that_may_grow_to(600_000):
        page = ada.send(("cv.txt", b"A CV of some length.\n" * 40_000))
    assert page.status == 503
    assert "You only need to choose your CV again." in page.notice
    assert page.typed == ADA
    assert reasons(caplog) == ["no_room"]
    assert ada.receipt()


def test_an_unavailable_database(acme: Portal, ada: Applicant, caplog: pytest.LogCaptureFixture) -> None:
    ada.send(email="wrong")
    caplog.set_level(logging.INFO)
    bring_back = take_away(acme, acme.folder / "portal.db")
    page = ada.send(None)
    assert page.status == 503
    assert page.typed == ADA
    assert "You only need to choose your CV" not in page.notice
    assert reasons(caplog)[-1] == "database_away"
    bring_back()
    assert ada.receipt(None)


def test_a_database_that_was_unavailable_at_server_start(acme: Portal, ada: Applicant):
    ada.send(email="wrong")
    bring_back = take_away(acme, acme.folder / "portal.db")
    acme.parts.schema_checked = False
    page = ada.send(None)
    assert page.status == 503
    assert "Everything you entered is still here" in page.notice
    assert page.typed == ADA
    bring_back()
    assert ada.receipt(None)


def test_a_recovered_database_is_not_used_before_its_schema_is_checked(acme: Portal, ada: Applicant):
    ada.send(email="wrong")
    check = acme.parts.database.require_current_schema

    def away() -> None:
        raise DatabaseUnavailable("the database cannot be reached")

    acme.parts.schema_checked = False
    acme.parts.database.require_current_schema = away  # type: ignore[method-assign]  unavailable at that moment
    assert ada.send(None).status == 503
    acme.parts.database.require_current_schema = check  # type: ignore[method-assign]  restored
    assert ada.receipt(None)


def test_a_form_that_cannot_be_returned_says_how_to_keep_its_text(acme: Portal):
    take_away(acme, acme.folder / "portal.db")
    acme.parts.schema_checked = False
    with acme.browser() as browser:
        answer = browser.post("/acme/alerts", data={"email": "ada@people.example"})
    assert answer.status_code == 503
    assert "what you entered is still there" in answer.text


def take_away(acme: Portal, file: Path) -> Callable[[], None]:
    """Replace the file by a folder, which SQLite cannot open."""
    acme.parts.database.close()
    aside = file.rename(file.with_name("aside.db"))
    file.mkdir()

    def bring_back() -> None:
        acme.parts.database.close()
        file.rmdir()
        aside.rename(file)

    return bring_back


def test_a_network_over_its_request_limit_is_told_when_to_continue(ada: Applicant) -> None:
    page = next(page for page in (ada.send(None, email="wrong") for _ in range(200)) if page.status != 422)
    assert page.status == 429
    assert 1 <= int(page.headers["retry-after"]) <= 3600
    assert "Send it again in" in page.notice
    assert page.typed == {**ADA, "email": "wrong"}


def test_a_network_over_its_storage_limit_is_told_when_to_continue(acme: Portal, ada: Applicant) -> None:
    ada.send(email="wrong")
    count_file(acme.parts.throttle, tenant="acme", remote_address="127.0.0.1", size=2_000_000_000)
    page = ada.send(("better.txt", b"A better one.\n" * 9))
    assert page.status == 429
    assert 1 <= int(page.headers["retry-after"]) <= 3600
    assert "Too many files" in page.notice
    assert page.typed == ADA
    assert CV[0] in page.words
    assert ada.receipt(None)


def test_a_file_that_would_not_be_stored_uses_no_quota(acme: Portal, ada: Applicant) -> None:
    rest = 2_000_000_000 - LIMIT
    count_file(acme.parts.throttle, tenant="acme", remote_address="127.0.0.1", size=rest)
    assert ada.send(("large.txt", b"x" * (LIMIT + 1))).status == 422
    assert ada.send(hidden={}).status == 422
    assert ada.receipt(("cv.txt", b"a line\n" * (LIMIT // 7)))
