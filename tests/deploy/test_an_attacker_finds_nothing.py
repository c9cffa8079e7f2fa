"""wapiti attacks the product behind nginx with every module it has, signed out and signed in, for ATTACK_SECONDS each.

It runs in `make soak` alone. The modules that need the internet are in NOT_RUN, with the reason.
"""

import email
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from email.policy import default
from pathlib import Path

import flask
import httpx
import pytest
from werkzeug.serving import make_server

from tests.delivery.scene import SECRET
from tests.deploy.behind_nginx import ORIGIN, PORTAL, Behind, nginx, proxied
from tests.deploy.wapiti import NOT_RUN, modules, proxy, scan
from tests.journeys.server import command
from tests.parts.command import portal
from tests.parts.postgres import Postgres
from tests.parts.process import accepts, free_port, running
from tests.site.account.candidate import code_in
from tests.site.apply.applicant import ADA, Page

pytestmark = [pytest.mark.soak, pytest.mark.verify, pytest.mark.xdist_group("attacks")]
OWNER, OPERATOR = "owner@acme.example", "operator@example.com"
HEADER, PROOF = "X-Forwarded-User", "a-secret-of-the-proxy-in-front-of-the-console"


@dataclass
class Target:
    """What is attacked: the proxy before it, and wapiti's options."""

    behind: Behind
    url: str
    options: tuple[str, ...] = ()


@contextmanager
def installation(folder: Path, postgres: Postgres) -> Iterator[dict[str, Target]]:
    """The portal, the service with its hiring pages, and the console, each behind an nginx of its own."""
    with ExitStack() as stack:
        made = stack.enter_context(proxied(folder / "portal", postgres))
        home = made.fleet.folder
        told = {
            "PORTAL_SECRET_KEY": SECRET,
            "PORTAL_DATABASE_URL": made.fleet.database.url,
            "PORTAL_TENANTS": str(home / "tenants"),
            "PORTAL_ATTACHMENTS": f"file:{home / 'attachments'}",
            "PORTAL_MAIL": f"file:{home / 'mail'}",
            "PORTAL_BASE_URL": ORIGIN,
            "PORTAL_TRUSTED_PROXIES": "1",
            "PORTAL_CONSOLE_USER_HEADER": HEADER,
            "PORTAL_CONSOLE_PROXY_SECRET": PROOF,
            "PORTAL_CONSOLE_ORIGIN": ORIGIN,
            "TRACKER_DATABASE_URL": made.fleet.tracker.url,
            "TRACKER_SECRET_KEY": SECRET[::-1],
            "TRACKER_MAIL": f"file:{home / 'mail'}",
            "TRACKER_BASE_URL": ORIGIN,
            "TRACKER_RATE_LIMIT": "10000000",
            "TRACKER_PUBLIC_RATE_LIMIT": "10000000",
        }
        added = portal("tracker", "colleague", "add", "acme", OWNER, "--role", "owner", environment=told)
        assert added.returncode == 0, added.stderr
        before = {}
        for name, words in (("service", ("tracker", "serve")), ("console", ("console",))):
            port = free_port()
            argv, log = command(*words, "--port", str(port)), folder / f"{name}.log"
            stack.enter_context(running(argv, log=log, ready=lambda port=port: accepts(port), env=told))
            before[name] = stack.enter_context(nginx(folder / name, (port, port)))
        key = made.fleet.keys["acme"]
        yield {
            "portal": Target(made.proxy, f"{ORIGIN}/"),
            "candidate": Target(
                made.proxy, f"{ORIGIN}/acme/profile", signed_in(made.proxy, "/acme/profile", ADA["email"], home)
            ),
            "hiring": Target(
                before["service"], f"{ORIGIN}/acme/hiring", signed_in(before["service"], "/acme/hiring", OWNER, home)
            ),
            "sign-in": Target(before["service"], f"{ORIGIN}/acme/hiring"),
            "service": Target(
                before["service"],
                f"{ORIGIN}/",
                ("--swagger", str(described(before["service"], folder)), "-H", f"x-api-key: {key}"),
            ),
            "console": Target(
                before["console"], f"{ORIGIN}/", ("-H", f"{HEADER}: {OPERATOR}", "-H", f"X-Console-Secret: {PROOF}")
            ),
        }


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Iterator[dict[str, Target]]:
    with installation(tmp_path_factory.mktemp("attacked"), postgres) as made:
        yield made


def signed_in(behind: Behind, path: str, address: str, home: Path) -> tuple[str, ...]:
    """Sign in with the code that is mailed; return wapiti's options, which leave out what would end the session."""
    with behind.browser() as browser:
        browser.get(path)
        posted(browser, path, email=address)
        deadline = time.monotonic() + 60
        while not codes(home, address) and time.monotonic() < deadline:
            time.sleep(0.1)
        posted(browser, f"{path}/code", code=codes(home, address)[-1])
        page = browser.get(path, follow_redirects=True).text
        assert "sign-out" in page or "You are signed in" in page
        cookies = "; ".join(f"{one.name}={one.value}" for one in browser.cookies.jar)
    ending = (f"{ORIGIN}{path}/{word}*" for word in ("sign-out", "erase", "account/sessions"))
    return ("-C", cookies, *(word for one in ending for word in ("-x", one)))


def posted(browser: httpx.Client, path: str, **typed: str) -> None:
    """Post the form of this page with its hidden fields."""
    fields = {**Page(browser.get(path, follow_redirects=True)).hidden, **typed}
    answer = browser.post(path, files={name: (None, value) for name, value in fields.items()})
    assert answer.status_code == 303, answer.text


def codes(home: Path, address: str) -> list[str]:
    files = sorted((home / "mail").glob("*.eml"), key=lambda path: path.stat().st_mtime_ns)
    mails = [email.message_from_bytes(path.read_bytes(), policy=default) for path in files]
    return [code_in(one) for one in mails if one["To"] == address and "code" in one["Subject"].lower()]


def described(behind: Behind, folder: Path) -> Path:
    """Save the service's own description of its API."""
    with behind.browser() as browser:
        (folder / "openapi.json").write_text(browser.get("/openapi.json").text)
    return folder / "openapi.json"


META_FILES = ("favicon.ico", "robots.txt", "sitemap.xml")
NO_FAULT = {
    "http_headers: Clickjacking Protection: ": "only knows X-Frame-Options; Content-Security-Policy is sent",
    "methods: ": "lists which methods each address answers: those that it is documented to have",
    "csrf: Cross Site Request Forgery: POST /tenants/acme/check ": "sends Content-Type twice in both posts that it "
    "compares, so both are refused; test_console_actions_need_their_own_form posts the form with a wrong token",
    **dict.fromkeys(
        (f"buster: Review Webserver Metafiles for Information Leakage: GET /{name} " for name in META_FILES),
        "files that are meant to be found",
    ),
}
"""Beginnings of findings that are none, with the reason."""


@pytest.mark.parametrize("name", ["portal", "candidate", "hiring", "sign-in", "service", "console"])
def test_every_module_attacks_and_finds_nothing(name: str, targets: dict[str, Target], tmp_path: Path):
    target = targets[name]
    written, wanted = target.behind.home / "access.log", sorted(modules() - NOT_RUN.keys())
    before = len(written.read_text().splitlines())
    with proxy({f"{PORTAL}:443": target.behind.tls, f"{PORTAL}:80": target.behind.plain}) as way:
        trusted = target.behind.home / "authority.pem"
        report = scan(tmp_path / "scan", way, target.url, wanted, *target.options, trusted=trusted)
    answers = Counter(json.loads(line)["status"] for line in written.read_text().splitlines()[before:])
    print(name, report.attacked, answers, way.refused)  # noqa: T201  how far the attack went
    assert [one for one in wanted if f"Launching module {one}\n" not in report.log] == [], report.log
    found = [one for one in report.found if not one.startswith(tuple(NO_FAULT))]
    assert not found, "\n\n".join(found)
    assert answers[500] == 0
    assert answers[429] < answers.total() / 10, f"rate limits refused the attack: {answers}"


def test_it_would_find_a_page_that_repeats_its_reader_and_one_that_fetches_what_it_is_told(tmp_path: Path):
    page = flask.Flask("vulnerable")

    @page.get("/")
    def repeated() -> str:
        return f'<form><input name="q"></form><p>{flask.request.args.get("q", "")}</p><a href="/fetched?url=a">a</a>'

    @page.get("/fetched")
    def fetched() -> str:
        with suppress(httpx.HTTPError, httpx.InvalidURL):
            httpx.get(flask.request.args["url"], trust_env=False, timeout=20)
        return "fetched"

    server = make_server("127.0.0.1", 0, page, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with proxy({f"127.0.0.1:{server.port}": server.port}) as way:
        report = scan(tmp_path / "scan", way, f"http://127.0.0.1:{server.port}/", ["xss", "ssrf"])
    server.shutdown()
    for finding in ("xss: Reflected Cross Site Scripting: GET /", "requested from outside: GET /ssrf/"):
        assert any(one.startswith(finding) for one in report.found), f"{finding} in {report.found}\n{report.log}"
    assert way.refused == set()
