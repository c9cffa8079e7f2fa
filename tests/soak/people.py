"""Simulated users of the installation: applicants, candidates and colleagues. Visitors are in visitors.py."""

import itertools
import random
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from html import unescape

import httpx

from tests.parts.files import pdf_of
from tests.site.apply.applicant import ADA
from tests.soak.deployment import CANDIDATES, COMPANIES, JOBS, OWNER, Deployment, known
from tests.soak.observations import Answer, Observations
from tests.soak.visitors import Visitors, browser, measured
from tests.tracker.hiring.site import HiringBrowser

SURNAME = "Zuckerkandl"
"""Surname of all applicants, which no log may contain."""
TIMEOUT = 150.0
"""Seconds for which a user resends a form without a response."""
_CVS = [pdf_of(size) for size in (100_000, 300_000, 1_000_000, 5_000_000)]
_OFTEN = (70, 22, 7, 1)


@dataclass
class People:
    """All users. accepted: reference → (company, email address). changed: candidate's number → the last city."""

    site: Deployment
    seen: Observations
    chance: random.Random
    begun: float = field(default_factory=time.monotonic)
    accepted: dict[str, tuple[str, str]] = field(default_factory=dict)
    gave_up: int = 0
    changed: dict[int, str] = field(default_factory=dict)
    published: list[float] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _trusted: ssl.SSLContext = field(init=False)
    _visitors: Visitors = field(init=False)

    def __post_init__(self) -> None:
        assert self.site.proxy is not None
        self._trusted = ssl.create_default_context(cafile=str(self.site.proxy.home / "fullchain.pem"))
        self._visitors = Visitors(self.site.proxy, self._seen)

    def _seen(self, one: Answer) -> None:
        self.seen.add(replace(one, begun=one.begun - self.begun))

    @contextmanager
    def coming(self, *, a_second: float, threads: int = 48) -> Iterator[None]:
        """Run all users within the block; at its end, actions in progress are finished."""
        with ThreadPoolExecutor(max_workers=threads) as pool:
            regular = [
                (1 / a_second, self.apply),
                (10.0, self.change_a_record),
                (15.0, self.hire),
            ]
            clocks = [threading.Thread(target=self._come, args=(pool, every, what)) for every, what in regular]
            for one in clocks:
                one.start()
            try:
                yield
            finally:
                self._over.set()
                for one in clocks:
                    one.join()
        self._visitors.end()

    def _come(self, pool: ThreadPoolExecutor, every: float, what: Callable[[int], None]) -> None:
        for number in itertools.count(1):
            pool.submit(what, next(self._numbers))
            if self._over.wait(max(0.0, self.begun + number * every - time.monotonic())):
                return

    @contextmanager
    def browser(self, number: int) -> Iterator[httpx.Client]:
        """Return a browser with a network of its own, which uses the proxy."""
        assert self.site.proxy is not None
        with browser(self.site.proxy, self._trusted, number) as made:
            yield made

    def ask(self, what: str, send: Callable[[], httpx.Response]) -> httpx.Response | None:
        """Send a request and record its result; None without a response."""
        one, answer = measured(what, send)
        self._seen(one)
        return answer

    def patiently(self, what: str, send: Callable[[], httpx.Response]) -> httpx.Response | None:
        """Send a request, and repeat it while it fails, as people and the form's script do."""
        ends = time.monotonic() + TIMEOUT
        while True:
            answer = self.ask(what, send)
            if answer is not None and answer.status_code < 500 and answer.status_code != 429:
                return answer
            if time.monotonic() > ends:
                return None
            time.sleep(3)

    def apply(self, number: int) -> None:
        """Open a job, fill in the form, send it until there is a response; every tenth time in a company's page."""
        slug = COMPANIES[number % 2]
        where = "/embed" if number % 10 == 0 else ""
        address = f"/{slug}{where}/jobs/{slug}-{number % JOBS}/apply"
        fields = {**ADA, "firstName": "Emilie", "lastName": SURNAME, "email": f"p{number}@people.example"}
        cv = self.chance.choices(_CVS, _OFTEN)[0]
        with self.browser(number) as client:
            page = self.patiently("form", lambda: client.get(address))
            if page is None or page.status_code != 200:
                self.gave_up += 1
                return
            fields |= _hidden(page.text)
            files = {"cv": ("cv.pdf", cv, "application/pdf")}
            answer = self.patiently("application", lambda: client.post(address, data=fields, files=files))
            if answer is None or answer.status_code != 303:
                self.gave_up += 1
                self.seen.notes.append(f"an application was answered {answer.status_code if answer else 'never'}")
                return
            path = httpx.URL(answer.headers["location"]).path
            self.accepted[path.rpartition("/")[2]] = (slug, fields["email"])
        self._visitors.open(path)

    def change_a_record(self, number: int) -> None:
        """Sign in by a code and change the city; the last accepted change has to arrive."""
        person = number % CANDIDATES
        with self.browser(number) as client, suppress(_Interrupted):
            page = _page(self.ask("profile", lambda: client.get("/acme/profile")))
            asked = {**_hidden(page), "email": known(person)}
            before = len(self.site.smtp.received)
            _page(self.ask("profile", lambda: client.post("/acme/profile", data=asked, follow_redirects=True)))
            code = self._mailed_code(known(person), before)
            page = _page(self.ask("profile", lambda: client.get("/acme/profile/code")))
            entered = {**_hidden(page), "code": code}
            _page(self.ask("profile", lambda: client.post("/acme/profile/code", data=entered, follow_redirects=True)))
            page = _page(self.ask("profile", lambda: client.get("/acme/profile/edit")))
            name = f"Emilie{_letters(number)}"
            for _ in range(2):  # the form, then the review of the changes
                typed = {**_fields(page), "firstName": name}
                multipart = {key: (None, value) for key, value in typed.items()}
                answer = self.ask("profile", lambda sent=multipart: client.post("/acme/profile/edit", files=sent))
                if answer is not None and answer.status_code == 303:
                    self.changed[person] = name
                    return
                page = _page(answer)
            self.seen.notes.append("a change of a record was not accepted")

    def _mailed_code(self, address: str, before: int) -> str:
        ends = time.monotonic() + TIMEOUT
        while time.monotonic() < ends:
            for message in self.site.smtp.received[before:]:
                body = message.get_body(("plain",))
                if body is not None and str(message["to"]).lower().find(address) >= 0:
                    found = re.search(r"(?<!\d)\d{8}(?!\d)", body.get_content())
                    if found:
                        return found[0]
            time.sleep(1)
        raise _Interrupted

    def hire(self, number: int) -> None:
        """Sign in as a colleague and read applications; every eighth time, publish a job and wait for it."""
        base = f"http://127.0.0.1:{self.site.ports['service']}"
        with httpx.Client(base_url=base, timeout=60, trust_env=False) as client, suppress(_Interrupted):
            pages = HiringBrowser(client, COMPANIES[0])
            _page(self.ask("hiring", pages.get))
            before = len(self.site.smtp.received)
            _page(self.ask("hiring", lambda: pages.post(email=OWNER)))
            code = self._mailed_code(OWNER, before)
            _page(self.ask("hiring", lambda: pages.post("/code", code=code)))
            _page(self.ask("hiring", lambda: pages.get("/jobs")))
            _page(self.ask("hiring", lambda: pages.get(f"/jobs/acme-{number % JOBS}/applications")))
            found = re.search(r'href="/acme/hiring(/applications/[^"]+)"', pages.page)
            if found:
                _page(self.ask("hiring", lambda: pages.get(unescape(found[1]))))
                _page(self.ask("hiring", lambda: pages.post(f"{unescape(found[1])}/rating", rating="4")))


class _Interrupted(Exception):
    """A user cannot continue now, and tries again later."""


def _page(answer: httpx.Response | None) -> str:
    if answer is None or answer.status_code >= 400:
        raise _Interrupted
    return answer.text


def _hidden(page: str) -> dict[str, str]:
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
    return {name: unescape(value) for name, value in found}


def _fields(page: str) -> dict[str, str]:
    """Return the fields of a form, as a browser would send them."""
    found = dict[str, str]()
    for box in re.findall(r"<input [^>]*>", page):
        name, value = re.search(r' name="([^"]+)"', box), re.search(r' value="([^"]*)"', box)
        kind = re.search(r' type="([^"]+)"', box)
        if not name or (kind and kind[1] in {"checkbox", "radio", "file", "submit"} and " checked" not in box):
            continue
        found[unescape(name[1])] = unescape(value[1]) if value else ""
    for select in re.findall(r"<select .*?</select>", page, re.DOTALL):
        name, chosen = (
            re.search(r' name="([^"]+)"', select),
            re.search(r'<option value="([^"]*)"[^>]* selected', select),
        )
        if name:
            found[unescape(name[1])] = unescape(chosen[1]) if chosen else ""
    return found


def _letters(number: int) -> str:
    """Return a number as letters, because names have no digits."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))
