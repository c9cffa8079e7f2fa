"""A file is clean only if clamd says so: not on threats, exceeded limits, timeouts or broken transfers."""

import io
import secrets
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from portal.adapters.inspection.scanner import Clamd, open_scanner
from portal.platform.errors import Infected, ScannerUnavailable, SettingsError
from tests.parts import files
from tests.parts.clamd import EICAR, STREAM_MAX_BYTES, running_clamd
from tests.parts.process import free_port, pause, resume

if TYPE_CHECKING:
    from tests.parts.clamd import RunningClamd


@pytest.fixture(params=["tcp", "unix"])
def scanner(clamd: "RunningClamd", request: pytest.FixtureRequest) -> Clamd:
    opened = open_scanner(clamd.address if request.param == "tcp" else f"clamd:{clamd.socket}")
    assert isinstance(opened, Clamd)
    return opened


@pytest.mark.parametrize("name", ["cv.pdf", "cv.docx", "cv.odt", "cv.doc", "cv.rtf", "scan.pdf"])
def test_a_real_cv_is_clean(scanner: Clamd, name: str) -> None:
    scanner.scan(io.BytesIO(files.real(name)))


def test_a_threat_is_named(scanner: Clamd) -> None:
    with pytest.raises(Infected, match=r"Test\.File"):
        scanner.scan(io.BytesIO(EICAR))


def test_a_threat_inside_a_document_is_found(scanner: Clamd) -> None:
    with pytest.raises(Infected):
        scanner.scan(io.BytesIO(files.docx({"word/media/image1.png": EICAR})))


def test_files_nested_too_deep_to_scan_are_not_called_clean(scanner: Clamd) -> None:
    content = EICAR
    for _ in range(6):
        content = files.zipped({"more": content})
    with pytest.raises(Infected, match=r"Limits\.Exceeded"):
        scanner.scan(io.BytesIO(content))


@pytest.mark.parametrize("more", [1, 8 * STREAM_MAX_BYTES])
def test_a_file_over_the_stream_limit_is_unknown_and_the_operator_is_notified(scanner: Clamd, more: int) -> None:
    with pytest.raises(ScannerUnavailable, match="StreamMaxLength above PORTAL_MAX_CV_BYTES"):
        scanner.scan(io.BytesIO(secrets.token_bytes(STREAM_MAX_BYTES + more)))


def test_the_preflight_check_scans_the_test_file(scanner: Clamd) -> None:
    scanner.check()


def test_a_scanner_without_signatures_fails_the_preflight_check() -> None:
    with (
        running_clamd(signature=b"something that is nowhere") as server,
        pytest.raises(ScannerUnavailable, match="run freshclam"),
    ):
        Clamd(("127.0.0.1", server.port)).check()


def test_a_hanging_scanner_gives_an_unknown_result() -> None:
    with running_clamd() as server:
        scanner = Clamd(("127.0.0.1", server.port), timeout=0.3)
        pause(server.pid)
        with pytest.raises(ScannerUnavailable, match="is not responding"):
            scanner.scan(io.BytesIO(b"a CV"))
        resume(server.pid)
        Clamd(("127.0.0.1", server.port)).scan(io.BytesIO(b"a CV"))


def test_an_unreachable_scanner_gives_an_unknown_result(tmp_path: object) -> None:
    for where in (("127.0.0.1", free_port()), f"{tmp_path}/nothing.sock"):
        with pytest.raises(ScannerUnavailable, match="clamd is running"):
            Clamd(where).scan(io.BytesIO(b"a CV"))
        with pytest.raises(ScannerUnavailable):
            Clamd(where).check()


@pytest.mark.parametrize("answer", [b"", b"stream: OK", b"HTTP/1.1 200 OK\r\n\r\n", b"\0", b"stream: ERROR\0"])
def test_a_response_that_is_not_from_clamd_gives_an_unknown_result(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(ScannerUnavailable):
            Clamd(("127.0.0.1", server.getsockname()[1])).scan(io.BytesIO(b"a CV"))
        thread.join()


def test_the_scanner_can_be_turned_off() -> None:
    assert open_scanner("off") is None


@pytest.mark.parametrize("address", ["", "clamd", "clamd:", "clamd:host", "clamd::3310", "clamd:host:port", "on"])
def test_an_invalid_scanner_address_is_reported_with_its_setting(address: str) -> None:
    with pytest.raises(SettingsError, match="PORTAL_SCANNER"):
        open_scanner(address)
