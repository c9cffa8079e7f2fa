"""A request is reported as not sent only if that is certain; otherwise it may have arrived."""

import socket

import pytest

from portal.adapters.tracker_client.errors import MayHaveArrived, NotSent
from tests.adapters.tracker_client.calling import client, submit
from tests.parts.misbehaving import Behaviour, answer, hang_up, misbehaving, refused, reset, says, silence


def test_a_refused_connection_counts_as_not_sent() -> None:
    with client(refused()) as upstream, pytest.raises(NotSent, match="cannot be reached"):
        submit(upstream)


def test_an_unknown_host_name_counts_as_not_sent() -> None:
    with client("http://nobody.invalid.") as upstream, pytest.raises(NotSent):
        submit(upstream)


def test_a_failed_tls_handshake_counts_as_not_sent() -> None:
    plain = misbehaving(answer(), at_once=says(b"HTTP/1.1 400 not TLS\r\n\r\n"))
    with plain as server, client(server.url.replace("http", "https")) as upstream, pytest.raises(NotSent):
        submit(upstream)


def test_a_hanging_tls_handshake_counts_as_not_sent() -> None:
    mute = misbehaving(answer(), at_once=silence())
    with (
        mute as server,
        client(server.url.replace("http", "https"), deadline=0.3) as upstream,
        pytest.raises(NotSent),
    ):
        submit(upstream)


def test_a_connection_that_is_never_accepted_counts_as_not_sent() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(address)
        with client(f"http://127.0.0.1:{address[1]}", deadline=0.3) as upstream, pytest.raises(NotSent):
            submit(upstream)
        for each in waiting:
            each.close()


@pytest.mark.parametrize(
    "behaviour",
    [
        reset(),
        reset(b"HTTP/1.1 200 OK\r\nContent-Le"),
        reset(b"HTTP/1.1 201 Created\r\nContent-Length: 50\r\n\r\n{"),
        hang_up,
        says(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        answer(status=500),
        answer(status=502),
        answer(status=504),
        answer(status=599),
    ],
    ids=["reset", "reset in headers", "reset in body", "hang up", "another protocol", "500", "502", "504", "599"],
)
def test_failures_after_sending_count_as_ambiguous(behaviour: Behaviour) -> None:
    with misbehaving(behaviour) as server, client(server.url) as upstream:
        with pytest.raises(MayHaveArrived):
            submit(upstream)
        assert len(server.seen) == 1


def test_a_silent_server_counts_as_ambiguous() -> None:
    with misbehaving(silence()) as server, client(server.url, deadline=2) as upstream:
        with pytest.raises(MayHaveArrived, match="in time"):
            submit(upstream)
        assert len(server.seen) == 1


def test_a_failed_request_is_not_repeated_automatically() -> None:
    with misbehaving(reset(), answer({})) as server, client(server.url) as upstream:
        with pytest.raises(MayHaveArrived):
            submit(upstream)
        submit(upstream)
        assert len(server.seen) == 2
