from collections.abc import Callable
from pathlib import Path

from tests.apply.applicant import ADA, Applicant
from tests.builders import Portal


def test_a_store_that_is_down(acme: Portal, ada: Applicant) -> None:
    folder = acme.folder / "attachments"
    aside = folder.rename(folder.with_name("aside")) if folder.exists() else None
    folder.write_text("not a folder")
    page = ada.send()
    assert page.status == 503
    assert page.headers["retry-after"]
    assert "We could not save your application" in page.notice
    assert "Only your CV has to be chosen again." in page.notice
    assert page.typed == ADA
    folder.unlink()
    if aside:
        aside.rename(folder)
    assert ada.receipt()


def test_a_database_that_is_down(acme: Portal, ada: Applicant) -> None:
    ada.send(email="wrong")
    bring_back = take_away(acme, acme.folder / "portal.db")
    page = ada.send(None)
    assert page.status == 503
    assert page.typed == ADA
    assert "Only your CV" not in page.notice
    bring_back()
    assert ada.receipt(None)


def take_away(acme: Portal, file: Path) -> Callable[[], None]:
    """SQLite cannot open a folder."""
    acme.parts.database.close()
    aside = file.rename(file.with_name("aside.db"))
    file.mkdir()

    def bring_back() -> None:
        acme.parts.database.close()
        file.rmdir()
        aside.rename(file)

    return bring_back


def test_a_network_that_sends_very_much_is_told_when_to_go_on(ada: Applicant) -> None:
    page = next(page for page in (ada.send(None, email="wrong") for _ in range(200)) if page.status != 422)
    assert page.status == 429
    assert 1 <= int(page.headers["retry-after"]) <= 3600
    assert "send it again in" in page.notice
    assert page.typed == {**ADA, "email": "wrong"}
