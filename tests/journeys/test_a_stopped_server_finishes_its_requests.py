import signal
import socket
import time
from pathlib import Path

import pytest

from tests.journeys.server import settings, started
from tests.parts.process import free_port
from tests.schemas import PORTAL, sqlite_copy

CHUNK = b"x" * 8_192
SECONDS = 13  # longer than the default of such servers, which is ten seconds


def test_a_form_in_transit_is_accepted_and_answered(tmp_path: Path):
    port = free_port()
    url = sqlite_copy(tmp_path / "portal.db", PORTAL)
    with started(tmp_path, url, "serve", port=port) as server, socket.create_connection(("127.0.0.1", port)) as line:
        length = SECONDS * len(CHUNK)
        head = f"POST /acme/jobs/no-such-job/apply HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n"
        line.sendall(head.encode() + b"Content-Type: multipart/form-data; boundary=b\r\n\r\n")
        for second in range(SECONDS):
            line.sendall(CHUNK)
            if second == 1:
                server.send_signal(signal.SIGTERM)
            time.sleep(1)
        line.settimeout(60)
        answer = line.recv(64)
        assert answer.startswith(b"HTTP/1.1 4"), answer  # there is no such job: the whole form was read and rejected
        assert server.wait(60) == 0


@pytest.mark.parametrize("wrong", ["0", "3601", "-1", "soon"])
def test_an_invalid_time_limit_is_named(tmp_path: Path, wrong: str):
    from portal.platform.config.settings import Settings
    from portal.platform.errors import SettingsError

    environment = {**settings(tmp_path, "sqlite:///x.db"), "PORTAL_STOP_TIMEOUT": wrong}
    with pytest.raises(SettingsError, match="PORTAL_STOP_TIMEOUT"):
        Settings.from_env(environment)
    assert Settings.from_env({**environment, "PORTAL_STOP_TIMEOUT": "3600"}).stop_timeout == 3_600
