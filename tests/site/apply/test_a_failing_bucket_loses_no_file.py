"""If the bucket fails during a check, the response is 503, and a retry finds the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from flask import Flask, Response

from portal.adapters.storage.s3 import S3Store
from portal.delivery.uploads.tables import uploads
from tests.builders import Portal
from tests.parts.process import free_port, pause, resume
from tests.parts.wsgi import serving
from tests.site.apply.applicant import CV
from tests.site.apply.direct import Sender, rows

if TYPE_CHECKING:
    from tests.parts.radosgw import RunningRadosgw

S3 = pytest.param("s3", marks=pytest.mark.xdist_group("radosgw"))
pytestmark = [pytest.mark.xdist_group("radosgw")]


@contextmanager
def at_the_copy(portal: Portal, trouble: "_FailingStorage") -> Iterator[None]:
    """The file was inspected before this begins."""
    watched = portal.parts.store
    trouble.store, watched._store = watched._store, trouble
    try:
        yield
    finally:
        watched._store = trouble.store
        trouble.over()


class _FailingStorage:
    def __init__(self, begin, over=lambda: None) -> None:
        self.begin, self.over = begin, over
        self.store: S3Store | None = None

    def __getattr__(self, name: str):
        return getattr(self.store, name)

    def copy(self, source: str, key: str, **how: str) -> str:
        return self.begin(self.store).copy(source, key, **how)


def fails_then_succeeds(portal: Portal, sender: Sender, trouble: _FailingStorage) -> None:
    sender.ask()
    assert sender.send().status_code == 204
    with at_the_copy(portal, trouble):
        answer = sender.check()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert sender.check().status_code == 200
    (stored,) = [row for row in rows(portal, uploads) if row.stored_at]
    with portal.parts.store.open(stored.key) as file:
        assert file.read() == CV[1]
    kept = [row for row in rows(portal, uploads) if not row.stored_at]
    portal.parts.clock.pass_time(86_401)
    portal.work.run_housekeeping()
    assert len(kept) == 1
    assert rows(portal, uploads) == []


@pytest.mark.parametrize("kept", [S3], indirect=True)
def test_a_bucket_that_becomes_unavailable(kept: Portal, sender: Sender, s3: "RunningRadosgw") -> None:
    nobody = S3Store(s3.bucket, endpoint=f"http://127.0.0.1:{free_port()}")
    fails_then_succeeds(kept, sender, _FailingStorage(lambda _: nobody))


@pytest.mark.parametrize("kept", [S3], indirect=True)
def test_a_bucket_that_hangs(kept: Portal, sender: Sender, s3: "RunningRadosgw") -> None:
    hasty = S3Store(s3.bucket, endpoint=s3.endpoint, read_timeout=0.5)

    def hang(_: S3Store) -> S3Store:
        pause(s3.pid)
        return hasty

    fails_then_succeeds(kept, sender, _FailingStorage(hang, lambda: resume(s3.pid)))


@pytest.mark.parametrize("kept", [S3], indirect=True)
@pytest.mark.parametrize(("status", "code"), [(403, "QuotaExceeded"), (507, "XMinioStorageFull")])
def test_a_bucket_that_is_full(kept: Portal, sender: Sender, s3: "RunningRadosgw", status: int, code: str) -> None:
    """With the errors of Ceph and MinIO, until there is space again."""
    full = Flask("full")

    @full.route("/<path:_>", methods=["PUT"])
    def no_room(_: str) -> Response:
        return Response(f"<Error><Code>{code}</Code></Error>", status, mimetype="application/xml")

    with serving(full) as origin:
        fails_then_succeeds(kept, sender, _FailingStorage(lambda _: S3Store(s3.bucket, endpoint=origin)))


@pytest.mark.parametrize("kept", ["folder"], indirect=True)
def test_a_folder_without_space(kept: Portal, sender: Sender) -> None:
    """The row exists, the object cannot be written: the upload stays where it is."""
    sender.ask()
    sender.send()
    folder = kept.folder / "attachments" / "acme"
    folder.write_text("in the way", encoding="utf-8")
    assert sender.check().status_code == 503
    folder.unlink()
    assert sender.check().status_code == 200
