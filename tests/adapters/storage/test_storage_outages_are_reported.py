"""A store that does not respond is soon reported as unavailable, and is used again after its recovery."""

import io
import os
import secrets
import signal
import time
from typing import TYPE_CHECKING

import pytest

from portal.adapters.storage.s3 import S3Store
from portal.platform.errors import StoreUnavailable
from tests.parts.process import free_port, paused

if TYPE_CHECKING:
    from tests.parts.radosgw import RunningRadosgw

pytestmark = pytest.mark.xdist_group("radosgw")


def put(store: S3Store, key: str, content: bytes) -> None:
    store.put(key, io.BytesIO(content), size=len(content), media_type="application/pdf", filename="cv.pdf")


def test_a_hanging_server_times_out_and_is_used_again_later(s3: "RunningRadosgw") -> None:
    store, patient = (S3Store(s3.bucket, endpoint=s3.endpoint, **how) for how in ({"read_timeout": 0.5}, {}))
    key = f"acme/{secrets.token_urlsafe(24)}"
    put(patient, key, b"before")
    with paused(s3.pid):
        began = time.monotonic()
        with pytest.raises(StoreUnavailable) as raised:
            put(store, key + "2", b"x" * 100_000)
        assert time.monotonic() - began < 120
        assert key not in str(raised.value)
        with pytest.raises(StoreUnavailable), store.open(key):
            pass
    put(patient, key + "3", b"after")
    with patient.open(key) as found:
        assert found.read() == b"before"


def test_a_refused_connection_is_unavailable(s3: "RunningRadosgw") -> None:
    store = S3Store(s3.bucket, endpoint=f"http://127.0.0.1:{free_port()}")
    with pytest.raises(StoreUnavailable) as raised:
        put(store, "acme/canary-of-a-key", b"x")
    assert "canary" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_an_unknown_host_name_is_unavailable(s3: "RunningRadosgw") -> None:
    with pytest.raises(StoreUnavailable):
        S3Store(s3.bucket, endpoint="http://storage.invalid:9000").check()


def test_a_server_killed_during_a_response_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.parts.radosgw import running_radosgw

    with running_radosgw() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        store = S3Store(server.bucket, endpoint=server.endpoint, read_timeout=3)
        put(store, "acme/large", b"x" * 30_000_000)
        with pytest.raises(StoreUnavailable):
            kill_while_reading(store, server.pid)
        with pytest.raises(StoreUnavailable):
            put(store, "acme/another", b"x")


def kill_while_reading(store: S3Store, pid: int) -> None:
    with store.open("acme/large") as body:
        assert body.read(1_000)
        os.kill(pid, signal.SIGKILL)
        while body.read(1_000_000):
            pass
