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
    """Milliseconds, as soon as there are so many: they are counted when the process has ended, after its answer."""
    until = time.monotonic() + 20
    while budget.used() < least and time.monotonic() < until:
        time.sleep(0.01)
    return budget.used()


def test_what_a_file_takes_is_counted(acme: Portal, ada: Applicant) -> None:
    assert ada.receipt()
    budget = CpuBudget(acme.parts.throttle, HERE)
    assert 0 < counted(budget, 1) < 2_000


@pytest.mark.parametrize("acme", [{"max_cv_bytes": 100_000}], indirect=True)
def test_one_that_is_too_involved_counts_with_all_that_it_took(acme: Portal, ada: Applicant) -> None:
    assert ada.send(("cv.pdf", pdfs.slow())).status == 422
    assert counted(CpuBudget(acme.parts.throttle, HERE), 1_500) >= 1_500


def test_the_form_comes_back_with_what_was_typed_and_goes_through_a_minute_later(acme: Portal, ada: Applicant) -> None:
    use_up(acme)
    page = ada.send(CV)
    assert page.status == 429
    assert TOLD in page.notice
    assert "You only need to choose your CV again." in page.notice
    assert page.typed == ADA
    assert 1 <= int(page.headers["retry-after"]) <= 60
    acme.parts.clock.pass_time(60)
    assert ada.receipt()


def test_a_form_whose_cv_is_here_already_needs_none_of_it(acme: Portal, ada: Applicant) -> None:
    first = ada.send(CV, email="no address")
    use_up(acme)
    assert ada.post(None, hidden=first.hidden, **ADA).status_code == 303


def test_another_network_is_not_concerned(acme: Portal) -> None:
    use_up(acme)
    with somebody(acme, "192.0.2.9") as client:
        assert Applicant(client).receipt()


@pytest.mark.parametrize(("address", "status"), [("2001:db8:1:ffff::1", 429), ("2001:db8:2::1", 201)])
def test_networks_of_one_48_share_it(acme: Portal, address: str, status: int) -> None:
    CpuBudget(acme.parts.throttle, "2001:db8:1:1::1").charge(10)
    CpuBudget(acme.parts.throttle, "2001:db8:1:2::1").charge(10)
    with somebody(acme, address) as client:
        answer = client.post("/acme/uploads", files={"cv": CV})
    assert answer.status_code == status


def test_a_program_is_told_when_to_come_again(acme: Portal) -> None:
    use_up(acme)
    with acme.browser() as client:
        answer = client.post("/acme/uploads", files={"cv": CV})
    assert answer.status_code == 429
    assert TOLD in answer.json()["detail"]
    assert 1 <= int(answer.headers["retry-after"]) <= 60


@pytest.mark.parametrize("kept", ["folder"], indirect=True)
def test_a_file_that_went_ahead_stays_where_it_is_until_it_can_be_checked(kept: Portal, sender: Sender) -> None:
    sender.ask()
    sender.send()
    use_up(kept)
    answer = sender.check()
    assert (answer.status_code, TOLD in answer.json()["detail"]) == (429, True)
    kept.parts.clock.pass_time(60)
    assert sender.check().status_code == 200
