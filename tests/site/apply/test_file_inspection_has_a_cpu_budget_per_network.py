"""Files of one network may use twenty seconds of CPU a minute; above that, the form is returned with its entries."""

import time

import httpx
import pytest

from portal.delivery.uploads.cpu_budget import LIMIT, CpuBudget
from tests.builders import Portal
from tests.parts import pdfs
from tests.site.apply.applicant import ADA, CV, Applicant
from tests.site.apply.direct import Sender

TOLD = "Too many files are arriving from your network"
HERE = "127.0.0.1"
"""Where tests without a socket come from."""


def use_up(portal: Portal, network: str = HERE) -> None:
    CpuBudget(portal.parts.throttle, network).charge(LIMIT.most / 1_000)


def somebody(portal: Portal, network: str) -> httpx.Client:
    transport = httpx.WSGITransport(app=portal.app, remote_addr=network)
    return httpx.Client(transport=transport, base_url=portal.parts.settings.base_url)


def counted(budget: CpuBudget, least: int) -> int:
    """Wait for and return the counted milliseconds: they are counted after the response, when the process has ended."""
    until = time.monotonic() + 20
    while budget.used() < least and time.monotonic() < until:
        time.sleep(0.01)
    return budget.used()


def test_the_cpu_time_of_a_file_is_counted(acme: Portal, ada: Applicant) -> None:
    assert ada.receipt()
    budget = CpuBudget(acme.parts.throttle, HERE)
    assert 0 < counted(budget, 1) < 2_000


@pytest.mark.parametrize("acme", [{"max_cv_bytes": 100_000}], indirect=True)
def test_a_file_that_exceeds_its_limit_is_counted_in_full(acme: Portal, ada: Applicant) -> None:
    assert ada.send(("cv.pdf", pdfs.slow())).status == 422
    assert counted(CpuBudget(acme.parts.throttle, HERE), 1_500) >= 1_500


def test_beyond_the_budget_the_form_is_returned_and_accepted_a_minute_later(acme: Portal, ada: Applicant) -> None:
    use_up(acme)
    page = ada.send(CV)
    assert page.status == 429
    assert TOLD in page.notice
    assert "You only need to choose your CV again." in page.notice
    assert page.typed == ADA
    assert 1 <= int(page.headers["retry-after"]) <= 60
    acme.parts.clock.pass_time(60)
    assert ada.receipt()


def test_a_form_with_an_uploaded_cv_needs_no_cpu_time(acme: Portal, ada: Applicant) -> None:
    first = ada.send(CV, email="no address")
    use_up(acme)
    assert ada.post(None, hidden=first.hidden, **ADA).status_code == 303


def test_another_network_is_not_affected(acme: Portal) -> None:
    use_up(acme)
    with somebody(acme, "192.0.2.9") as client:
        assert Applicant(client).receipt()


@pytest.mark.parametrize(("address", "status"), [("2001:db8:1:ffff::1", 429), ("2001:db8:2::1", 201)])
def test_networks_of_one_48_share_the_budget(acme: Portal, address: str, status: int) -> None:
    CpuBudget(acme.parts.throttle, "2001:db8:1:1::1").charge(10)
    CpuBudget(acme.parts.throttle, "2001:db8:1:2::1").charge(10)
    with somebody(acme, address) as client:
        answer = client.post("/acme/uploads", files={"cv": CV})
    assert answer.status_code == status


def test_a_client_gets_a_retry_after(acme: Portal) -> None:
    use_up(acme)
    with acme.browser() as client:
        answer = client.post("/acme/uploads", files={"cv": CV})
    assert answer.status_code == 429
    assert TOLD in answer.json()["detail"]
    assert 1 <= int(answer.headers["retry-after"]) <= 60


@pytest.mark.parametrize("kept", ["folder"], indirect=True)
def test_an_uploaded_file_is_kept_until_it_can_be_checked(kept: Portal, sender: Sender) -> None:
    sender.ask()
    sender.send()
    use_up(kept)
    answer = sender.check()
    assert (answer.status_code, TOLD in answer.json()["detail"]) == (429, True)
    kept.parts.clock.pass_time(60)
    assert sender.check().status_code == 200
