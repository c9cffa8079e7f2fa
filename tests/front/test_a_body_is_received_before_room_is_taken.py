"""Who sends slowly waits alone: a body counts for nothing until it is there, and it must come."""

import io
import queue
import threading
import time

import pytest

from portal.front import bodies
from portal.front.bodies import IN_MEMORY, NO_ROOM, REFUSED, Pace, Reception, Refusal

FAST = Pace(window=0.4, bytes_a_window=20_000)


class Line:
    """What a browser sends, as a server hands it on: `read` waits until as many bytes are there, or the end."""

    def __init__(self) -> None:
        self._chunks: queue.Queue[bytes] = queue.Queue()
        self._rest = b""

    def send(self, some: bytes) -> None:
        self._chunks.put(some)

    def end(self) -> None:
        self._chunks.put(b"")

    def read(self, size: int) -> bytes:
        while len(self._rest) < size:
            chunk = self._chunks.get()
            if not chunk:
                self._chunks.put(b"")
                break
            self._rest += chunk
        some, self._rest = self._rest[:size], self._rest[size:]
        return some


def asked(stream, address: str = "192.0.2.1", **more: object) -> dict:
    environ = {"wsgi.input": stream, "wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"}
    return {**environ, "REMOTE_ADDR": address, **more}


def received(reception: Reception, environ: dict, bound: int | None) -> tuple[bytes, object]:
    with reception.received(environ, bound):
        return environ["wsgi.input"].read(), environ.get(REFUSED)


@pytest.mark.parametrize("size", [0, 1, 8_191, 8_192, 8_193, IN_MEMORY - 1, IN_MEMORY, IN_MEMORY + 1, 300_000])
def test_it_arrives_as_it_was_sent(size):
    body = bytes(range(256)) * (size // 256 + 1)
    found = received(Reception(at_once=1, of_network=1), asked(io.BytesIO(body[:size])), 300_000)
    assert found == (body[:size], None)


def test_a_server_that_does_not_end_the_stream_is_read_to_the_length_that_was_said():
    environ = {"wsgi.input": io.BytesIO(b"formGET /next"), "CONTENT_LENGTH": "4", "REMOTE_ADDR": "192.0.2.1"}
    assert received(Reception(at_once=1, of_network=1), environ, 100) == (b"form", None)


def test_of_what_is_too_long_both_ends_are_kept():
    body = b"a" * 100_000 + b"b" * 2_000_000 + b"the last words"
    environ = asked(io.BytesIO(body))
    kept, refused = received(Reception(at_once=1, of_network=1), environ, 150_000)
    assert refused is None
    assert 150_000 < len(kept) < 1_500_000
    assert kept.startswith(body[:150_000])
    assert kept.endswith(b"the last words")
    assert environ["CONTENT_LENGTH"] == str(len(kept))


def test_what_is_exactly_the_bound_is_whole_and_one_byte_more_is_longer_than_it():
    for size in (70_000, 70_001):
        kept, _ = received(Reception(at_once=1, of_network=1), asked(io.BytesIO(bytes(size))), 70_000)
        assert len(kept) == size


def test_an_address_that_takes_none_is_answered_at_once():
    line = Line()
    line.send(b"x")
    started = time.monotonic()
    assert received(Reception(at_once=1, of_network=1, pace=FAST), asked(line), None) == (b"", None)
    assert time.monotonic() - started < 5
    line.end()


def test_no_more_than_a_little_is_read_of_what_nobody_takes():
    stream = io.BytesIO(bytes(10_000_000))
    received(Reception(at_once=1, of_network=1), asked(stream), None)
    assert stream.tell() == IN_MEMORY


def test_who_drips_is_refused():
    line = Line()
    line.send(b"x" * 100)
    assert received(Reception(at_once=1, of_network=1, pace=FAST), asked(line), 100_000) == (b"", Refusal.TOO_SLOW)
    line.end()


def test_a_poor_line_is_served():
    line = Line()

    def phone() -> None:
        for _ in range(6):
            line.send(b"x" * 20_000)
            time.sleep(0.2)
        line.end()

    threading.Thread(target=phone).start()
    found, refused = received(Reception(at_once=1, of_network=1, pace=FAST), asked(line), 200_000)
    assert (len(found), refused) == (120_000, None)


def test_there_is_a_deadline_for_the_whole():
    line = Line()
    over = threading.Event()

    def steady() -> None:
        while not over.wait(0.05):
            line.send(b"x" * 10_000)
        line.end()

    threading.Thread(target=steady).start()
    pace = Pace(window=0.4, bytes_a_window=20_000, longest=1.2)
    assert received(Reception(at_once=1, of_network=1, pace=pace), asked(line), 100_000_000)[1] is Refusal.TOO_SLOW
    over.set()


def test_a_network_sends_so_many_at_once_and_others_are_not_held_up():
    reception = Reception(at_once=10, of_network=2)
    lines = [Line() for _ in range(3)]
    inside = [threading.Thread(target=received, args=(reception, asked(line), 1_000)) for line in lines[:2]]
    for one in inside:
        one.start()
    until(lambda: reception._coming.total() == 2)
    assert received(reception, asked(lines[2], "192.0.2.200"), 1_000)[1] is Refusal.TOO_MANY
    assert received(reception, asked(io.BytesIO(b"x"), "192.0.3.1"), 1_000) == (b"x", None)
    for line in lines:
        line.end()
    for one in inside:
        one.join()
    until(lambda: not reception._coming)
    assert received(reception, asked(io.BytesIO(b"x")), 1_000) == (b"x", None)


def test_all_together_are_bounded_too():
    reception = Reception(at_once=1, of_network=5)
    line = Line()
    one = threading.Thread(target=received, args=(reception, asked(line), 1_000))
    one.start()
    until(lambda: reception._coming.total() == 1)
    assert received(reception, asked(io.BytesIO(b"x"), "198.51.100.1"), 1_000)[1] is Refusal.TOO_MANY
    line.end()
    one.join()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.254", True),
        ("192.0.2.1", "192.0.3.1", False),
        ("::ffff:192.0.2.1", "192.0.2.9", True),
        ("2001:db8:0:1200::1", "2001:db8:0:12ff::1", True),
        ("2001:db8:0:1200::1", "2001:db8:0:1300::1", False),
        ("nonsense", "", True),
    ],
)
def test_a_network_is_what_one_household_or_phone_has(one, other, same):
    assert (bodies.network_of(one) == bodies.network_of(other)) is same


def test_without_room_on_the_disk_the_words_of_a_form_are_kept(monkeypatch, tmp_path):
    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(
        bodies.tempfile, "TemporaryFile", full
    )  # a full disk cannot be had otherwise without being root
    environ = asked(io.BytesIO(b"first" + bytes(200_000) + b"last"))
    kept, _ = received(Reception(at_once=1, of_network=1), environ, 1_000_000)
    assert environ[NO_ROOM]
    assert kept.startswith(b"first")
    assert kept.endswith(b"last")


def test_who_went_away_leaves_nothing_behind():
    class Gone(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise OSError("reset by peer")

    reception = Reception(at_once=1, of_network=1)
    assert received(reception, asked(Gone()), 1_000) == (b"", None)
    until(lambda: not reception._coming)


def until(condition) -> None:
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come about within 5 s")
