"""A file that was uploaded directly to the storage is scanned before delivery like any other."""

from typing import TYPE_CHECKING

import pytest

from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from tests.parts.clamd import EICAR
from tests.site.apply.applicant import Applicant
from tests.site.apply.conftest import portal_with
from tests.site.apply.direct import Sender

if TYPE_CHECKING:
    from pathlib import Path

    from tests.parts.clamd import RunningClamd
    from tests.parts.radosgw import RunningRadosgw

pytestmark = pytest.mark.xdist_group("radosgw")


@pytest.mark.parametrize(
    ("content", "ends"), [(EICAR, OutboxState.DEAD), (b"Ada Lovelace, notes.\n" * 9, OutboxState.DELIVERED)]
)
def test_the_scanner_decides_about_a_directly_uploaded_file(
    tmp_path: "Path", s3: "RunningRadosgw", clamd: "RunningClamd", content: bytes, ends: OutboxState
) -> None:
    settings = {"attachments": f"s3://{s3.bucket}", "s3_endpoint": s3.endpoint, "scanner": clamd.address}
    made = portal_with(tmp_path / "portal", **settings)
    with made.browser() as client:
        sender = Sender(Applicant(client))
        said = sender.bring("cv.txt", content)
        reference = sender.ada.receipt(cv=None, upload=said["upload"]).rpartition("/")[2]
    parts = made.parts

    def state() -> OutboxState:
        found = submissions.find(parts.database, KINDS, reference)
        assert found
        return found.state

    made.work.deliver_what_is_due()
    assert state() is OutboxState.HELD
    made.work.scan_held_files()
    made.work.deliver_what_is_due()
    assert state() is ends
    parts.database.close()
