"""Files that are expensive to inspect delay only their own network.

On the real server, with browsers of two networks: different loopback addresses."""

import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from portal.platform.clock import SystemClock
from tests.builders import SECRET
from tests.parts import files, pdfs
from tests.parts.process import accepts, free_port, running
from tests.site.apply.applicant import ADA, Page
from tests.site.apply.conftest import portal_with

CROWD, SOMEBODY = "127.0.0.2", "127.0.1.3"
SLOW = 20


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Run `portal serve` on the result of portal_with(); yield its address."""
    made = portal_with(folder, clock=SystemClock(), max_cv_bytes=100_000)
    made.parts.close()
    settings, port = made.parts.settings, free_port()
    environment = {
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
        "PORTAL_BASE_URL": f"http://127.0.0.1:{port}",
        "PORTAL_MAX_CV_BYTES": "100000",
    }
    command = [sys.executable, "-m", "portal.cli", "serve", "--port", str(port)]
    with running(command, env=environment, ready=lambda: accepts(port), log=folder / "server.log"):
        yield f"http://127.0.0.1:{port}"


def browser(address: str, network: str) -> httpx.Client:
    transport = httpx.HTTPTransport(local_address=network)
    return httpx.Client(base_url=address, transport=transport, timeout=120, trust_env=False)


class Form:
    """The form of one job, open in a browser."""

    path = "/acme/jobs/job-1/apply"

    def __init__(self, address: str, network: str) -> None:
        self.address, self.network = address, network
        with browser(address, network) as client:
            opened = client.get(self.path)
        assert opened.status_code == 200
        self.hidden = Page(opened).hidden

    def send(self, cv: bytes) -> httpx.Response:
        attached = {"cv": ("cv.pdf", cv, "application/pdf")}
        with browser(self.address, self.network) as client:
            return client.post(self.path, data={**self.hidden, **ADA}, files=attached)


@pytest.mark.verify
def test_twenty_expensive_files_of_one_network_do_not_delay_another(tmp_path: Path) -> None:
    slow = pdfs.slow()
    with served(tmp_path) as address, ThreadPoolExecutor(SLOW) as pool:
        ada = Form(address, SOMEBODY)
        assert (
            Form(address, SOMEBODY).send(files.real("cv.pdf")).status_code == 303
        )  # the inspection process has started
        crowd = [Form(address, CROWD) for _ in range(SLOW)]
        sent = [pool.submit(form.send, slow) for form in crowd]
        wait(sent, return_when="FIRST_COMPLETED")  # rejected immediately: the queue of its network is full
        before = inspected(sent)
        answer = ada.send(files.real("cv.pdf"))
        after = inspected(sent)
        assert answer.status_code == 303
        # Five seconds of CPU time; elapsed time would depend on what else this machine does.
        assert after - before <= 2, "it waited for more of the crowd's files than two, of two seconds each"
        answers = [one.result() for one in sent]
    turned_away = [one for one in answers if one.status_code == 429]
    # 503: the machine is so busy that three short queues of one network take more than ten seconds.
    assert {422, 429} <= {one.status_code for one in answers} <= {422, 429, 503}
    assert len(turned_away) >= SLOW / 2
    for one in turned_away:
        page = Page(one)
        assert page.typed == ADA
        assert "Too many files are arriving from your network" in page.notice
        assert 1 <= int(page.headers["retry-after"]) <= 60


def inspected(sent: list[Future[httpx.Response]]) -> int:
    return sum(one.done() and one.result().status_code == 422 for one in sent)
