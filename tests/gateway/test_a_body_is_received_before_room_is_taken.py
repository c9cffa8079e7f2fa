"""Who sends slowly waits alone: a body counts for nothing until it is there, and it must come."""

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
    """What the application reads, or the refusal; and what else it is told."""
    environ = {"REMOTE_ADDR": address, **more}
    body = await reception.receive(line, environ, bound)
    if isinstance(body, BodyRejection):
        return body, environ
    with body.in_place(environ):
        return environ["wsgi.input"].read(), environ


def received(line: Line, bound: int | None, minimum_rate: MinimumRate | None = None):
    return run(arrive(BodyReceiver(at_once=1, of_network=1, minimum_rate=minimum_rate), line, bound))


@pytest.mark.parametrize("size", [0, 1, 8_192, IN_MEMORY - 1, IN_MEMORY, IN_MEMORY + 1, 300_000])
def test_it_arrives_as_it_was_sent(size):
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
        kept, _ = await arrive(BodyReceiver(at_once=1, of_network=1), Line(*cut(body)), 3_000_000)
        assert kept == body
        assert written_by_this_thread() - before < IN_MEMORY

    run(scene())


def test_of_what_is_too_long_both_ends_are_kept():
    body = b"a" * 100_000 + b"b" * 2_000_000 + b"the last words"
    kept, environ = received(Line(*cut(body)), 150_000)
    assert 150_000 < len(kept) < 1_500_000
    assert kept.startswith(body[:150_000])
    assert kept.endswith(b"the last words")
    assert environ["CONTENT_LENGTH"] == str(len(kept))


def test_what_is_exactly_the_bound_is_whole_and_one_byte_more_is_longer_than_it():
    for size in (70_000, 70_001):
        assert len(received(Line(*cut(bytes(size))), 70_000)[0]) == size


def test_what_is_far_too_long_is_not_read_to_its_end():
    line = Line(*cut(bytes(3_000_000)))
    received(line, 100_000)
    assert 1_600_000 <= line.given < 1_700_000


def test_an_address_that_takes_none_is_answered_at_once_and_nothing_is_kept():
    started = time.monotonic()
    assert received(Line(b"x", ends=False), None, FAST)[0] == b""
    assert time.monotonic() - started < 5


def test_no_more_than_a_little_is_read_of_what_nobody_takes():
    line = Line(*cut(bytes(10_000_000)))
    received(line, None)
    assert line.given == IN_MEMORY


def test_who_drips_is_refused():
    assert received(Line(b"x" * 100, ends=False), 100_000, FAST)[0] is BodyRejection.TOO_SLOW
    drips = Line(*[b"x" * 1_000] * 100, pause=0.1)
    assert received(drips, 100_000, FAST)[0] is BodyRejection.TOO_SLOW


def test_a_poor_line_is_served():
    assert len(received(Line(*[b"x" * 20_000] * 6, pause=0.15), 200_000, FAST)[0]) == 120_000


def test_there_is_a_deadline_for_the_whole():
    minimum_rate = MinimumRate(window=0.4, bytes_a_window=20_000, longest=1.2)
    assert received(Line(*[b"x" * 20_000] * 100, pause=0.05), 100_000_000, minimum_rate)[0] is BodyRejection.TOO_SLOW


def test_the_deadline_grows_with_what_may_be_sent():
    minimum_rate = MinimumRate()
    assert minimum_rate.windows(40_960) * minimum_rate.window == 70
    assert minimum_rate.windows(11_534_336) * minimum_rate.window == 1_800


def test_a_network_sends_so_many_at_once_and_others_are_not_held_up():
    async def scene() -> None:
        reception = BodyReceiver(at_once=10, of_network=2)
        inside = [asyncio.ensure_future(arrive(reception, Line(b"x", pause=1), 1_000)) for _ in range(2)]
        await asyncio.sleep(0.1)
        assert (await arrive(reception, Line(b"x"), 1_000, "192.0.2.200"))[0] is BodyRejection.TOO_MANY
        assert (await arrive(reception, Line(b"x"), None, "192.0.2.200"))[0] == b""
        assert (await arrive(reception, Line(b"x"), 1_000, "192.0.3.1"))[0] == b"x"
        assert [(await one)[0] for one in inside] == [b"x", b"x"]
        assert (await arrive(reception, Line(b"x"), 1_000))[0] == b"x"

    run(scene())


def test_all_together_are_bounded_too():
    async def scene() -> None:
        reception = BodyReceiver(at_once=1, of_network=5)
        inside = [asyncio.ensure_future(arrive(reception, Line(b"x", pause=1), 1_000))]
        await asyncio.sleep(0.1)
        assert (await arrive(reception, Line(b"x"), 1_000))[0] is BodyRejection.TOO_MANY
        inside.append(asyncio.ensure_future(arrive(reception, Line(b"x", pause=1), 1_000, "198.51.100.1")))
        await asyncio.sleep(0.1)
        assert (await arrive(reception, Line(b"x"), 1_000, "203.0.113.1"))[0] is BodyRejection.TOO_MANY
        assert [(await one)[0] for one in inside] == [b"x", b"x"], "who had none had a place"

    run(scene())


def test_who_was_refused_no_longer_counts():
    async def scene() -> None:
        reception = BodyReceiver(at_once=1, of_network=1, minimum_rate=FAST)
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
def test_without_room_on_the_disk_the_words_of_a_form_are_kept(room):
    with files_of_at_most(room):
        kept, environ = received(Line(b"first", *cut(bytes(200_000)), b"last"), 1_000_000)
    assert environ[NO_ROOM]
    assert kept.startswith(b"first")
    assert kept.endswith(b"last")


@pytest.mark.parametrize("room", [0, 66_000, 100_000])
def test_without_room_for_the_last_piece_it_is_kept_nevertheless(room):
    before = bytes(max(room, IN_MEMORY) - 1_000)
    with files_of_at_most(room):
        kept, environ = received(Line(b"first", *cut(before), bytes(5_000) + b"last"), 1_000_000)
    assert environ[NO_ROOM]
    assert kept.startswith(b"first")
    assert kept.endswith(b"last")


def test_who_went_away_leaves_nothing_behind():
    class Gone:
        async def __aiter__(self):
            yield b"x"
            raise OSError("reset by peer")

    assert received(Gone(), 1_000)[0] == b"x"


@pytest.mark.parametrize(("said", "found"), [("2", BodyRejection.CUT_OFF), ("1", b"x"), ("", b"x"), ("much", b"x")])
def test_what_is_shorter_than_it_said_is_no_body(said, found):
    arrival = arrive(BodyReceiver(at_once=1, of_network=1), Line(b"x"), 1_000, CONTENT_LENGTH=said)
    assert run(arrival)[0] == found


def test_what_said_more_than_is_wanted_is_kept_as_far_as_it_is_wanted():
    line = Line(*cut(bytes(3_000_000)))
    arrival = arrive(BodyReceiver(at_once=1, of_network=1), line, 100_000, CONTENT_LENGTH="3000000")
    assert len(run(arrival)[0]) > 100_000


def test_a_server_of_wsgi_alone_hands_on_the_body_to_the_length_that_was_said():
    environ = {"wsgi.input": io.BytesIO(b"formGET /next"), "CONTENT_LENGTH": "4"}
    with request_bodies.received(environ, 100):
        assert environ["wsgi.input"].read() == b"form"
