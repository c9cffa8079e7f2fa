"""A CV of 10 MB is never whole in memory: how much the server's memory grows over ten uploads at once."""

import re
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil

from bench.figures import Measured
from bench.profiles import of_memory
from tests.parts.demo import RunningDemo, running_demo
from tests.parts.files import pdf_of

SIZE = 10 * 1024 * 1024
AT_ONCE = 10


def run() -> Iterator[Measured]:
    """Resident memory of the web server's processes: the peak during ten uploads, less before them."""
    with tempfile.TemporaryDirectory() as folder, running_demo(Path(folder) / "data") as demo:
        forms = _forms(demo)
        server = _server(demo)
        # Ten small ones first: threads and their heaps are there before the question is what size costs.
        _grown(server, forms[:AT_ONCE], pdf_of(100_000))
        large = pdf_of(SIZE)
        grown = [_grown(server, forms[AT_ONCE * n : AT_ONCE * (n + 1)], large) for n in (1, 2)]
        detail = f"over a server that has just taken ten of 100 KB at once; the first time {grown[0]:.1f}"
        largest = max(server, key=lambda one: one.memory_info().rss)
        yield Measured("memory grown by ten uploads of 10 MB, MB", grown[1], detail, (), lambda: of_memory(largest))


def _forms(demo: RunningDemo) -> list[tuple[str, dict[str, str]]]:
    """Thirty forms, each with its hidden fields."""
    with httpx.Client(trust_env=False, timeout=60) as browser:
        links = re.findall(r'href="[^"]*(/acme/jobs/[A-Za-z0-9_-]+)', browser.get(f"{demo.portal}/acme/").text)
        address = f"{demo.portal}{links[0]}/apply"
        found = []
        for number in range(AT_ONCE * 3):
            page = browser.get(address).text
            hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
            if not hidden:
                raise RuntimeError("the form shows no hidden field: its token is not found")
            person = {
                "firstName": "Ana",
                "lastName": f"Garc{number}",
                "email": f"ana{number}@people.example",
                "phoneNumber": "+4930901820",
                "networkUrl": "",
                "city": "Berlin",
                "region": "",
                "postalCode": "",
                "country": "DE",
                "consent": "y",
            }
            found.append((address, hidden | person))
        return found


def _send(form: tuple[str, dict[str, str]], cv: bytes, number: int) -> None:
    """From a /24 of its own: of one network, four files at a time are inspected."""
    address, fields = form
    away = httpx.HTTPTransport(local_address=f"127.0.{number + 1}.1")
    with httpx.Client(transport=away, timeout=120) as browser:
        answer = browser.post(address, data=fields, files={"cv": ("cv.pdf", cv, "application/pdf")})
    if answer.status_code != 303:
        raise RuntimeError(f"the upload was answered {answer.status_code}")


def _server(demo: RunningDemo) -> list[psutil.Process]:
    serving = [one for one in demo.everyone() if "serve" in one.cmdline() and "tracker" not in one.cmdline()]
    return [*serving, *(child for one in serving for child in one.children(recursive=True))]


def _grown(server: list[psutil.Process], forms: list[tuple[str, dict[str, str]]], cv: bytes) -> float:
    def resident() -> int:
        return sum(one.memory_info().rss for one in server)

    before = peak = resident()
    senders = [threading.Thread(target=_send, args=(form, cv, number)) for number, form in enumerate(forms)]
    for sender in senders:
        sender.start()
    while any(sender.is_alive() for sender in senders):
        peak = max(peak, resident())
        time.sleep(0.01)
    return (peak - before) / 2**20
