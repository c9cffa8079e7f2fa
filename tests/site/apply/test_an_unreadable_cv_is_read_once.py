"""A valid CV that cannot be read within the limits is accepted, and reading is not tried again."""

import io
import zlib

import pytest
from pypdf import PdfWriter
from pypdf.generic import NameObject, StreamObject

from portal.adapters.storage.local import LocalStore
from portal.delivery.uploads import storing
from portal.delivery.uploads.cpu_budget import CpuBudget
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.platform.rate_limits import Throttle
from portal.site.forms.cv_upload import details_in
from tests.builders import SECRET, Portal
from tests.parts import pdfs
from tests.site.apply.applicant import Applicant
from tests.site.apply.direct import Sender
from tests.told_clock import ToldClock

ENDLESS = b"q Q " * 3_000_000
"""Drawing instructions that take more CPU time than reading may, or on a fast machine more memory."""
LARGE = b"q BI /W 1 /H 1 /BPC 8 /CS /G ID " + b"A" * 74_900_000 + b"\nEI Q "
"""A picture that takes more memory than reading may, and little CPU time."""


def unreadable(drawing: bytes = ENDLESS) -> bytes:
    """Return a PDF of about 100 KB whose one page draws this."""

    def change(writer: PdfWriter) -> None:
        content = StreamObject()
        content._data = zlib.compress(drawing, 9)
        content[NameObject("/Filter")] = NameObject("/FlateDecode")
        writer.pages[0][NameObject("/Contents")] = writer._add_object(content)

    return pdfs.changed(change)


@pytest.mark.parametrize("drawing", [ENDLESS, LARGE], ids=["takes too long", "needs too much memory"])
@pytest.mark.parametrize("read_first", [True, False], ids=["read when it is stored", "read later"])
def test_the_failure_is_stored_in_either_database(
    database: Database, tmp_path, read_first: bool, drawing: bytes
) -> None:
    clock, seal, store = ToldClock(), Seal(SECRET), LocalStore(tmp_path / "files")
    budget = CpuBudget(Throttle("memory:", clock), "192.0.2.1")
    file, about = io.BytesIO(unreadable(drawing)), {"tenant": "acme", "form_id": "f" * 32}
    stored = storing.store_file(
        database, store, seal, **about, file=file, filename="cv.pdf", max_bytes=200_000, clock=clock,
        read=read_first, budget=budget,
    )  # fmt: skip
    assert stored.unreadable is read_first
    for _ in range(2):
        assert details_in(database, store, **about, handle=stored.handle, budget=budget) is None
        taken = budget.used()
    assert details_in(database, store, **about, handle=stored.handle, budget=budget) is None
    assert 0 < taken == budget.used()
    found = storing.find(database, seal, **about, handle=stored.handle)
    assert found
    assert found.unreadable


@pytest.mark.parametrize("acme", [{"max_cv_bytes": 100_000}], indirect=True)
def test_repeated_posts_cost_no_cpu_time(acme: Portal, ada: Applicant) -> None:
    sender = Sender(ada)
    said = sender.bring("cv.pdf", unreadable())
    assert said["said"] is None
    budget = CpuBudget(acme.parts.throttle, "127.0.0.1")
    taken = budget.used()
    for _ in range(5):
        assert sender.check().status_code == 200
    assert budget.used() == taken
