"""A portal with one tenant, Acme, one candidate and one job."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.parts.html import HtmlChecker

if TYPE_CHECKING:
    from tests.builders import Portal
    from tests.site.account.candidate import Visitor

FILE = """
[publish]
stages = ["Open"]
[apply]
phone_region = "DE"
[mail]
operator = "jobs@acme.example"
"""


@pytest.fixture(scope="session")
def valid(html: HtmlChecker) -> "Callable[[httpx.Response], None]":
    """Fail tests that get an invalid page by the W3C's checker; pages of the same structure are checked once."""
    known: set[int] = set()

    def look(answer: httpx.Response) -> None:
        is_page = answer.headers.get("content-type", "").startswith("text/html") and not answer.is_redirect
        if is_page and answer.request.method != "HEAD":
            text = answer.read().decode()
            shape = hash(tuple(re.findall(r"<[a-z/][a-z0-9]*|(?<= )[a-z-]+(?==)", text)))
            if shape not in known:
                known.add(shape)
                assert html.validate(text) == []

    return look


@pytest.fixture
def acme(
    tmp_path: Path, request: pytest.FixtureRequest, valid: "Callable[[httpx.Response], None]"
) -> "Iterator[Portal]":
    """A portal; settings by `@pytest.mark.parametrize("acme", [{…}], indirect=True)`."""
    from tests.site.account.candidate import open_acme

    made = open_acme(tmp_path / "portal", **getattr(request, "param", {}))
    made.looks.append(valid)
    yield made
    made.parts.database.close()


@pytest.fixture
def on_each(tmp_path: Path, portal_url: str) -> "Iterator[Portal]":
    """The same portal on SQLite and on PostgreSQL."""
    from tests.site.account.candidate import open_acme

    made = open_acme(tmp_path / "portal", database_url=portal_url)
    yield made
    made.parts.database.close()


@pytest.fixture
def ada(acme: "Portal") -> "Visitor":
    from tests.site.account.candidate import Visitor

    return Visitor(acme)
