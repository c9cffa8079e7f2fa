"""The log has one line when the store or the scanner fails, and one when it recovers."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from portal.platform.errors import StoreError
from portal.platform.logs.events import Event
from portal.platform.logs.formatting import is_news
from tests.operations.health.test_readiness_names_unavailable_parts import careers, ready
from tests.parts.clamd import running_clamd
from tests.parts.radosgw import RunningRadosgw

pytestmark = pytest.mark.verify


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the log lines about it."""
    news = [record for record in caplog.records if is_news(record) and record.levelno >= logging.WARNING]
    return [
        f"{one.msg.event} {one.msg.facts()['part']}" if isinstance(one.msg, Event) else str(one.msg) for one in news
    ]


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    psutil.Process(pid).suspend()
    try:
        yield
    finally:
        psutil.Process(pid).resume()


def test_an_unusable_folder_is_logged_at_start_and_end(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    with careers(tmp_path) as made, caplog.at_level(logging.INFO):
        folder = made.folder / "attachments"
        folder.write_text("a file in its place")
        for _ in range(3):
            ready(made)
        with pytest.raises(StoreError):  # further requests that fail
            made.parts.store.check()
        assert told(caplog) == ["away store"]
        folder.unlink()
        ready(made)
        ready(made)
        assert told(caplog) == ["away store", "recovered store"]


@pytest.mark.xdist_group("radosgw")
def test_a_bucket_outage_during_an_upload_is_logged_at_start_and_end(
    tmp_path: Path, s3: RunningRadosgw, caplog: pytest.LogCaptureFixture
):
    with careers(tmp_path, attachments=f"s3://{s3.bucket}", s3_endpoint=s3.endpoint) as made:
        store = made.parts.store
        store.check()
        with caplog.at_level(logging.INFO):
            with stopped(s3.pid), pytest.raises(StoreError):
                store.check()
            made.parts.clock.pass_time(1)
            store.check()
            assert told(caplog) == ["away store", "recovered store"]


def test_a_hanging_scanner_is_logged_at_start_and_end(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    with running_clamd() as clamd, careers(tmp_path, scanner=clamd.address) as made, caplog.at_level(logging.INFO):
        ready(made)
        with stopped(clamd.pid):
            ready(made)  # gets its response before the scanner's timeout
            until_told(made, caplog, 1)
        until_told(made, caplog, 2)
        assert told(caplog) == ["away scanner", "recovered scanner"]


def until_told(made, caplog: pytest.LogCaptureFixture, lines: int) -> None:
    ends = time.monotonic() + 60
    while len(told(caplog)) < lines:
        assert time.monotonic() < ends, told(caplog)
        ready(made, at_rest=False)
        time.sleep(0.1)
