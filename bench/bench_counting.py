"""What it costs to count a request: kept pages leave from the server's loop, and each is counted there.

The figures are kept in files, as those of a server with several processes are.
"""

import io
import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from bench.pairs import paired

_PAGES = 5_000


def run() -> Iterator[Figure]:
    """One kept page, again and again, without a socket."""
    from portal.platform.config.settings import COUNTED_IN, set_for_children
    from portal.platform.metrics.shared import folder

    with folder(1) as together, tempfile.TemporaryDirectory() as home:
        set_for_children(COUNTED_IN, str(together))  # before anything is imported that counts
        yield _kept(Path(home))


def _kept(home: Path) -> Figure:
    from portal.gateway.layer import Gateway
    from portal.platform.metrics import shared
    from tests import builders
    from tests.told_clock import ToldClock

    logging.getLogger("portal.access").setLevel(logging.WARNING)
    clock = ToldClock()
    made = builders.portal(home / "portal", clock=clock)
    made.add_tenant("acme", "Acme")
    clock.pass_time(1)
    front = made.app.wsgi_app
    assert isinstance(front, Gateway)
    assert shared.where() is not None

    def pages() -> None:
        for _ in range(_PAGES):
            environ = _asked()
            began = front.access_log.begin(environ)
            answer = front.find_cached(environ)
            assert answer is not None
            front.access_log.finish(environ, began, answer)

    with made.browser() as visitor:
        assert visitor.get("/acme/").status_code == 200
    counting = list(front.access_log.tell)

    def uncounted() -> None:
        front.access_log.tell.clear()
        pages()
        front.access_log.tell.extend(counting)

    pair = paired(pages, uncounted, rounds=9)
    made.parts.close()
    each = 1_000 * (pair.ours - pair.yardstick) / _PAGES
    return Figure(
        "a kept page in the front, counted in files, against not counted",
        pair.ratio,
        2.0,
        "at most",
        f"{1_000 * pair.ours / _PAGES:.1f} µs against {1_000 * pair.yardstick / _PAGES:.1f} µs: {each:.1f} µs a page",
    )


def _asked() -> dict[str, object]:
    return {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": "/acme/",
        "QUERY_STRING": "",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "127.0.0.1:8000",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
    }
