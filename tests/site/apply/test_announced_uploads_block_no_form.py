"""Announced but unsent files count against their network, and not against the company."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from portal.delivery.uploads.tables import asked
from portal.platform.rate_limits import Limit, network_of
from tests.builders import Portal
from tests.site.apply.applicant import CV, Applicant
from tests.site.apply.conftest import portal_with
from tests.site.apply.direct import Sender, keys, rows

GB = 1_000_000_000
FILES = Limit("files-tenant", 20 * GB, 3_600)
From = Callable[[str], Sender]


@pytest.fixture(params=["memory", "redis"])
def limits(request: pytest.FixtureRequest) -> str:
    """Return PORTAL_RATE_LIMITS for each kind of storage; Redis begins empty."""
    if request.param == "memory":
        return "memory:"
    import redis

    url: str = request.getfixturevalue("redis").url
    with redis.Redis.from_url(url) as client:
        client.flushall()
    return url


@pytest.fixture
def acme(tmp_path: Path, portal_url: str, limits: str) -> Iterator[Portal]:
    made = portal_with(tmp_path / "portal", max_cv_bytes=GB, rate_limits=limits, database_url=portal_url)
    yield made
    made.parts.close()


@pytest.fixture
def sent_from(acme: Portal) -> Iterator[From]:
    """Return a form that is open in a browser at this address."""
    with ExitStack() as browsers:

        def open_form(address: str) -> Sender:
            transport = httpx.WSGITransport(app=acme.app, remote_addr=address)
            client = httpx.Client(transport=transport, base_url=acme.parts.settings.base_url)
            return Sender(Applicant(browsers.enter_context(client)))

        yield open_form


def test_a_form_stays_usable_while_22_networks_announce_all_they_may(acme: Portal, sent_from: From):
    """Each announces files of a gigabyte until it is rejected, and uploads none."""
    for number in range(22):
        sender = sent_from(f"2001:{number:x}:db8::1")
        while (answer := sender.ask(size=GB)).status_code == 201:
            pass
        assert answer.status_code == 429
    newcomer = sent_from("2001:db8:beef::1")
    assert newcomer.bring()["name"] == CV[0]
    assert newcomer.ada.receipt()


def test_a_network_can_announce_at_most_two_gigabytes(sent_from: From):
    sender, neighbour = sent_from("192.0.2.1"), sent_from("192.0.2.2")
    assert [sender.ask(size=GB).status_code for _ in range(3)] == [201, 201, 429]
    assert neighbour.ask(size=GB).status_code == 201


def test_a_wide_network_can_announce_at_most_eight_gigabytes(sent_from: From):
    for number in range(4):
        sender = sent_from(f"2001:db8:1:{number:x}::1")
        assert [sender.ask(size=GB).status_code for _ in range(2)] == [201, 201]
    assert sent_from("2001:db8:1:ffff::1").ask(size=1).status_code == 429
    assert sent_from("2001:db8:2::1").ask(size=1).status_code == 201


def test_announced_files_that_were_not_uploaded_are_released(acme: Portal, sent_from: From):
    sender = sent_from("192.0.2.1")
    assert [sender.ask(size=GB).status_code for _ in range(3)] == [201, 201, 429]
    acme.parts.clock.pass_time(1_199)
    assert sender.ask(size=GB).status_code == 429
    acme.parts.clock.pass_time(1)
    assert [sender.ask(size=GB).status_code for _ in range(3)] == [201, 201, 429]


def test_an_uploaded_file_counts_once_with_its_actual_size(acme: Portal, sent_from: From):
    sender = sent_from("192.0.2.1")
    for _ in range(3):
        sender.bring()
    assert [row.charged for row in rows(acme, asked)] == [0, 0, 0]
    assert [sender.ask(size=GB).status_code for _ in range(3)] == [201, 201, 429], "three small files are below 2 GB"
    stored = acme.parts.throttle.hit_shared_window(FILES, None, "acme", amount=0)
    assert FILES.most - stored.remaining == 3 * len(CV[1])


def test_an_uploaded_file_that_was_never_checked_counts_for_the_company(acme: Portal, sent_from: From):
    sender = sent_from("192.0.2.1")
    sender.ask()
    sender.send()
    assert FILES.most - acme.parts.throttle.hit_shared_window(FILES, None, "acme", amount=0).remaining == len(CV[1])


def test_a_rejected_file_does_not_count(acme: Portal, sent_from: From):
    sender = sent_from("192.0.2.1")
    sender.ask("virus.exe", 400)
    acme.parts.store.put(
        rows(acme, asked)[0].key, __import__("io").BytesIO(b"MZ" * 200), size=400, media_type="x/y", filename="cv"
    )
    assert sender.check().status_code == 422
    assert rows(acme, asked)[0].charged == 0
    assert acme.parts.throttle.hit_shared_window(FILES, None, "acme", amount=0).remaining == FILES.most


def test_a_file_in_a_form_counts_once_it_is_stored(acme: Portal, sent_from: From):
    ada = sent_from("192.0.2.1").ada
    assert ada.send(("cv.exe", b"MZ" * 200)).status == 422
    assert acme.parts.throttle.hit_shared_window(FILES, None, "acme", amount=0).remaining == FILES.most
    assert ada.receipt()
    assert FILES.most - acme.parts.throttle.hit_shared_window(FILES, None, "acme", amount=0).remaining == len(CV[1])


def test_the_database_contains_no_network_address(acme: Portal, sent_from: From):
    sent_from("192.0.2.77").ask()
    (row,) = rows(acme, asked)
    assert network_of("192.0.2.77") not in str(row)
    assert "192.0.2" not in str(row)
    assert keys(acme, "_incoming/") == []
