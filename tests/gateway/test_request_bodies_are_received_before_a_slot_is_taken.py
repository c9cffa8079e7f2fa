"""A request takes a slot only after its body has arrived, and slow or missing bodies are rejected."""

import asyncio
import io
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from portal.gateway import request_bodies
from portal.gateway.buffered_body import IN_MEMORY, NO_ROOM
from portal.gateway.request_bodies import BodyReceiver, BodyRejection, MinimumRate
from tests.gateway.visitors import run

FAST = MinimumRate(window=0.4, bytes_a_window=20_000)


class Line:
    """What a browser sends, chunk by chunk, as the server hands it on."""

    def __init__(self, *chunks: bytes, pause: float = 0, ends: bool = True) -> None:
        self.chunks, self.pause, self.ends = chunks, pause, ends
        self.given = 0

    async def __aiter__(self):
        for chunk in self.chunks:
            self.given += len(chunk)
            yield chunk
            await asyncio.sleep(self.pause)
        if not self.ends:
            await asyncio.sleep(600)


def cut(body: bytes, size: int = 16_384) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


async def arrive(reception: BodyReceiver, line: Line, bound: int | None, address: str = "192.0.2.1", **more: str):
    """Return what the application reads, or the error response, and the changes to its environment."""
    environ = {"REMOTE_ADDR": address, **more}
    body = await reception.receive(line, environ, bound)
    if isinstance(body, BodyRejection):
        return body, environ
    with body.in_place(environ):
        return environ["wsgi.input"].read(), environ


def received(line: Line, bound: int | None, minimum_rate: MinimumRate | None = None):
    return run(arrive(BodyReceiver(at_once=1, per_network=1, minimum_rate=minimum_rate), line, bound))


@pytest.mark.parametrize("size", [0, 1, 8_192, IN_MEMORY - 1, IN_MEMORY, IN_MEMORY + 1, 300_000])
def test_a_body_arrives_unchanged(size):
    body = (bytes(range(256)) * (size // 256 + 1))[:size]
    assert received(Line(*cut(body)), 300_000)[0] == body
    assert received(Line(body), 300_000)[0] == body


def test_the_event_loop_writes_nothing_to_disk():
    """A disk that hangs would hold up every visitor."""

    def written_by_this_thread() -> int:
        counted = dict(line.split(": ") for line in Path("/proc/thread-self/io").read_text().splitlines())
        return int(counted["wchar"])

    async def scene() -> None:
        body = bytes(range(256)) * 8_000
        before = written_by_this_thread()
        kept, _ = await arrive(BodyReceiver(at_once=1, per_network=1), Line(*cut(body)), 3_000_000)
        assert kept == body
        assert written_by_this_thread() - before < IN_MEMORY

    run(scene())


def test_the_beginning_and_end_of_a_body_that_is_too_long_are_kept():
    body = b"a" * 100_000 + b"b" * 2_000_000 + b"the last words"
    kept, environ = received(Line(*cut(body)), 150_000)
    assert 150_000 < len(kept) < 1_500_000
    assert kept.startswith(body[:150_000])
    assert kept.endswith(b"the last words")
    assert environ["CONTENT_LENGTH"] == str(len(kept))


def test_a_body_at_the_size_limit_is_complete_and_one_byte_more_is_too_long():
    for size in (70_000, 70_001):
        assert len(received(Line(*cut(bytes(size))), 70_000)[0]) == size


def test_a_body_far_over_the_limit_is_not_read_to_its_end():
    line = Line(*cut(bytes(3_000_000)))
    received(line, 100_000)
    assert 1_600_000 <= line.given < 1_700_000


def test_a_route_without_bodies_responds_immediately_and_keeps_nothing():
    started = time.monotonic()
    assert received(Line(b"x", ends=False), None, FAST)[0] == b""
    assert time.monotonic() - started < 5


def test_little_is_read_of_a_body_that_no_route_accepts():
    line = Line(*cut(bytes(10_000_000)))
    received(line, None)
    assert line.given == IN_MEMORY


def test_a_client_that_sends_too_slowly_is_rejected():
    assert received(Line(b"x" * 100, ends=False), 100_000, FAST)[0] is BodyRejection.TOO_SLOW
    drips = Line(*[b"x" * 1_000] * 100, pause=0.1)
    assert received(drips, 100_000, FAST)[0] is BodyRejection.TOO_SLOW


def test_a_slow_connection_above_the_minimum_rate_is_served():
    assert len(received(Line(*[b"x" * 20_000] * 6, pause=0.15), 200_000, FAST)[0]) == 120_000


def test_a_whole_body_has_a_deadline():
    minimum_rate = MinimumRate(window=0.4, bytes_a_window=20_000, longest=1.2)
    assert received(Line(*[b"x" * 20_000] * 100, pause=0.05), 100_000_000, minimum_rate)[0] is BodyRejection.TOO_SLOW


def test_the_deadline_grows_with_the_size_limit():
    minimum_rate = MinimumRate()
    assert minimum_rate.windows(40_960) * minimum_rate.window == 70
    assert minimum_rate.windows(11_534_336) * minimum_rate.window == 1_800


def test_concurrent_bodies_of_one_network_are_limited_without_delaying_others():
    async def scene() -> None:
        reception = BodyReceiver(at_once=10, per_network=2)
        inside = [asyncio.ensure_future(arrive(reception, Line(b"x", pause=1), 1_000)) for _ in range(2)]
        await asyncio.sleep(0.1)
        assert (await arrive(reception, Line(b"x"), 1_000, "192.0.2.200"))[0] is BodyRejection.TOO_MANY
        assert (await arrive(reception, Line(b"x"), None, "192.0.2.200"))[0] == b""
        assert (await arrive(reception, Line(b"x"), 1_000, "192.0.3.1"))[0] == b"x"
        assert [(await one)[0] for one in inside] == [b"x", b"x"]
        assert (await arrive(reception, Line(b"x"), 1_000))[0] == b"x"

    run(scene())


def test_concurrent_bodies_of_all_networks_are_limited():
    async def scene() -> None:
        reception = BodyReceiver(at_once=1, per_network=5)
        inside = [asyncio.ensure_future(arrive(reception, Line(b"x", pause=1), 1_000))]
        await asyncio.sleep(0.1)
        assert (await arrive(reception, Line(b"x"), 1_000))[0] is BodyRejection.TOO_MANY
        inside.append(asyncio.ensure_future(arrive(reception, Line(b"x", pause=1), 1_000, "198.51.100.1")))
        await asyncio.sleep(0.1)
        assert (await arrive(reception, Line(b"x"), 1_000, "203.0.113.1"))[0] is BodyRejection.TOO_MANY
        assert [(await one)[0] for one in inside] == [b"x", b"x"], "a network without a body in progress had a place"

    run(scene())


def test_a_rejected_body_no_longer_counts():
    async def scene() -> None:
        reception = BodyReceiver(at_once=1, per_network=1, minimum_rate=FAST)
        for _ in range(2):
            assert (await arrive(reception, Line(b"x", ends=False), 1_000))[0] is BodyRejection.TOO_SLOW
        assert (await arrive(reception, Line(b"x"), 1_000))[0] == b"x"

    run(scene())


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", [0, 10_000, 100_000])
def test_a_full_disk_loses_the_file_but_not_the_text_of_a_form(room):
    with files_of_at_most(room):
        kept, environ = received(Line(b"first", *cut(bytes(200_000)), b"last"), 1_000_000)
    assert environ[NO_ROOM]
    assert kept.startswith(b"first")
    assert kept.endswith(b"last")


@pytest.mark.parametrize("room", [0, 66_000, 100_000])
def test_a_disk_that_fills_up_with_the_last_chunk_does_not_lose_it(room):
    before = bytes(max(room, IN_MEMORY) - 1_000)
    with files_of_at_most(room):
        kept, environ = received(Line(b"first", *cut(before), bytes(5_000) + b"last"), 1_000_000)
    assert environ[NO_ROOM]
    assert kept.startswith(b"first")
    assert kept.endswith(b"last")


def test_a_disconnect_during_a_body_raises_no_error():
    class Gone:
        async def __aiter__(self):
            yield b"x"
            raise OSError("reset by peer")

    assert received(Gone(), 1_000)[0] == b"x"


@pytest.mark.parametrize(("said", "found"), [("2", BodyRejection.CUT_OFF), ("1", b"x"), ("", b"x"), ("much", b"x")])
def test_a_body_shorter_than_its_content_length_is_rejected(said, found):
    arrival = arrive(BodyReceiver(at_once=1, per_network=1), Line(b"x"), 1_000, CONTENT_LENGTH=said)
    assert run(arrival)[0] == found


def test_a_body_that_announces_too_much_is_kept_up_to_the_limit():
    line = Line(*cut(bytes(3_000_000)))
    arrival = arrive(BodyReceiver(at_once=1, per_network=1), line, 100_000, CONTENT_LENGTH="3000000")
    assert len(run(arrival)[0]) > 100_000


def test_a_plain_wsgi_server_passes_the_body_up_to_its_content_length():
    environ = {"wsgi.input": io.BytesIO(b"formGET /next"), "CONTENT_LENGTH": "4"}
    with request_bodies.received(environ, 100):
        assert environ["wsgi.input"].read() == b"form"
