"""While a disk is nearly full, files are rejected, everything else works, and monitoring reports it."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from portal.delivery.uploads.disk_space import LEAST_BYTES, Disks, Space, of_disk
from tests.builders import Portal, portal
from tests.site.apply.applicant import ADA, CV, Applicant, Page
from tests.site.apply.conftest import LIMIT, vacancy

ROOMY = Space(10**12, 10**12)
TIGHT = Space(10**12, LEAST_BYTES - 1)


@dataclass
class OneDisk:
    """The disk of one path may be nearly full."""

    tight: Path | None = None

    def space(self, path: Path) -> Space:
        return TIGHT if path == self.tight else ROOMY


@pytest.fixture
def disks() -> OneDisk:
    return OneDisk()


@pytest.fixture
def acme(tmp_path: Path, disks: OneDisk) -> Iterator[Portal]:
    made = portal(tmp_path / "portal", max_cv_bytes=LIMIT, free_space=disks.space)
    made.add_tenant("acme", "Acme")
    made.service.load("acme", [vacancy("job-1", "Welder")])
    made.work.mirror_what_is_due()
    yield made
    made.parts.database.close()


def places(acme: Portal) -> dict[str, Path]:
    return {
        "attachments": acme.folder / "attachments",
        "temporary files": Path(tempfile.gettempdir()),
        "database": acme.folder / "portal.db",
    }


@pytest.mark.parametrize("place", ["attachments", "temporary files", "database"])
def test_a_form_with_a_file_is_returned_and_accepted_once_there_is_space(
    acme: Portal, ada: Applicant, disks: OneDisk, place: str
) -> None:
    disks.tight = places(acme)[place]
    page = ada.send()
    assert page.status == 503
    assert int(page.headers["retry-after"]) == 900
    assert "storage is nearly full" in page.summary["cv"]
    assert page.typed == ADA
    assert not list((acme.folder / "attachments").glob("*/*"))
    disks.tight = None
    assert ada.receipt()


def test_a_form_with_a_stored_file_is_accepted(acme: Portal, ada: Applicant, disks: OneDisk) -> None:
    ada.send(email="wrong")
    disks.tight = places(acme)["attachments"]
    page = ada.send(("better.txt", b"A better one.\n" * 9))
    assert page.status == 503
    assert CV[0] in page.words
    assert ada.receipt(None)


def test_pages_and_sign_in_work(acme: Portal, ada: Applicant, disks: OneDisk) -> None:
    disks.tight = places(acme)["database"]
    for address in ("/acme/", "/acme/jobs/job-1", "/acme/jobs/job-1/apply", "/acme/profile"):
        assert ada.client.get(address).status_code == 200
    asking = Page(ada.client.get("/acme/profile"))
    asked = ada.client.post("/acme/profile", data={**asking.hidden, "email": ADA["email"]}, files={"x": b""})
    assert asked.status_code == 303
    assert acme.work.deliver_what_is_due() == 1


def test_monitoring_reports_the_disk(acme: Portal, ada: Applicant, disks: OneDisk) -> None:
    ready = ada.client.get("/readyz").json()
    assert (ready["uploads"], ready["shortOfRoom"]) == ("taken", [])
    assert 'portal_uploads_paused{place="attachments"} 0.0' in ada.client.get("/metrics").text
    disks.tight = places(acme)["attachments"]
    answer = ada.client.get("/readyz")
    assert answer.status_code == 200
    assert (answer.json()["uploads"], answer.json()["shortOfRoom"]) == ("paused", ["attachments"])
    figures = ada.client.get("/metrics").text
    assert 'portal_uploads_paused{place="attachments"} 1.0' in figures
    assert 'portal_uploads_paused{place="database"} 0.0' in figures


@pytest.mark.parametrize(
    ("space", "short"),
    [
        (Space(10**9, LEAST_BYTES), False),
        (Space(10**9, LEAST_BYTES - 1), True),
        (Space(10**12, 5 * 10**10), False),
        (Space(10**12, 5 * 10**10 - 1), True),
    ],
)
def test_the_limits_are_500_mb_and_5_percent(space: Space, short: bool) -> None:
    assert LEAST_BYTES == 500_000_000
    assert Disks({"attachments": Path("/srv")}, lambda _: space).places_short_of_space() == (
        ["attachments"] if short else []
    )


def test_files_are_rejected_if_the_disk_space_is_unknown() -> None:
    def away(_: Path) -> Space:
        raise OSError

    assert Disks({"attachments": Path("/srv")}, away).places_short_of_space() == ["attachments"]


def test_a_missing_folder_is_attributed_to_the_disk_of_its_parent(tmp_path: Path) -> None:
    assert of_disk(tmp_path / "not" / "yet").total == of_disk(tmp_path).total > 0
