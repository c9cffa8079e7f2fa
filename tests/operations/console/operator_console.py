"""An operator at the console of two companies: pages in their browser, and their actions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import unescape

import httpx
from flask import Flask

from portal.app import create_console
from portal.operations.actions import audit
from portal.operations.console.preflight_run import CheckResult
from portal.services import Services
from tests.delivery.scene import Scene

HERE = "http://127.0.0.1:8002"
_FORM = re.compile(r'<form[^>]* method="post" action="([^"]*)".*?name="token" value="([^"]*)"', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def words(page: str) -> str:
    """Return a page's text without markup."""
    return " ".join(unescape(_TAG.sub(" ", page)).split())


@dataclass
class OperatorConsole:
    """A console and its operator. checks: the output of `portal check` for a tenant, in place of a process."""

    scene: Scene
    app: Flask
    checked: list[str] = field(default_factory=list)
    says: Sequence[CheckResult] = (
        CheckResult("service acme", ok=False, says="the key is refused"),
        CheckResult("mail", ok=True, says="ok"),
    )

    @property
    def parts(self) -> Services:
        return self.scene.parts

    def browser(self, *, peer: str = "127.0.0.1", **headers: str) -> httpx.Client:
        transport = httpx.WSGITransport(app=self.app, remote_addr=peer)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx.Client(transport=transport, base_url=HERE, headers=names)

    def page(self, address: str) -> str:
        with self.browser() as client:
            answer = client.get(address, follow_redirects=True)
        assert answer.status_code == 200, (address, answer.status_code)
        return answer.text

    def read(self, address: str) -> str:
        return words(self.page(address))

    def token(self, address: str, action: str) -> str:
        return next(token for there, token in _FORM.findall(self.page(address)) if there == action)

    def press(self, address: str, action: str, **headers: str) -> httpx.Response:
        """Press the button of the form with this action; return the response without following redirects."""
        with self.browser(**headers) as client:
            return client.post(action, data={"token": self.token(address, action)})

    def log(self) -> list[tuple[str, str, str | None, str]]:
        """(way, what, reference or tenant, outcome), the newest first."""
        lines = audit.entries(self.parts.database)
        return [(one.by.way.value, one.what.value, one.reference or one.tenant, one.outcome.value) for one in lines]

    def ask(self, slug: str) -> Sequence[CheckResult]:
        self.checked.append(slug)
        return self.says


def open_console(scene: Scene, **settings: object) -> OperatorConsole:
    """Open a console. settings: in addition to the scene's."""
    parts = scene.parts
    parts.settings = replace(parts.settings, **settings)  # type: ignore[arg-type]  tests name settings
    console = OperatorConsole(scene, scene.app)
    console.app = create_console(parts, run_check=console.ask)
    return console
