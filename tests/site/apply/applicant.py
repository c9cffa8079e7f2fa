"""An applicant, with strict parsing of the pages they get."""

from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import httpx

CV = ("cv.txt", b"Ada Lovelace, Bachelor of Engines, 1842 to 1843: notes on the Analytical Engine.\n" * 5)
ADA = {
    "firstName": "Ada",
    "lastName": "Lovelace",
    "email": "ada@people.example",
    "phoneNumber": "030 1234567",
    "networkUrl": "network.example/in/ada",
    "city": "Berlin",
    "region": "",
    "postalCode": "10115",
    "country": "DE",
}


class Page:
    """A parsed page. A page that a strict parser would have to correct fails the test."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.text = response.text
        parser = html5lib.HTMLParser(html5lib.getTreeBuilder("etree"), strict=True, namespaceHTMLElements=False)
        self.root: Element = parser.parse(self.text)

    @property
    def hidden(self) -> dict[str, str]:
        return {e.attrib["name"]: e.attrib["value"] for e in self.all("input") if e.get("type") == "hidden"}

    @property
    def typed(self) -> dict[str, str]:
        shown = ("text", "email", "tel", "url")
        unseen = {e for box in self.root.iter() if box.get("aria-hidden") == "true" for e in box.iter("input")}
        inputs = [e for e in self.all("input") if e not in unseen]
        values = {e.attrib["name"]: e.attrib["value"] for e in inputs if e.get("type") in shown}
        for select in self.all("select"):
            chosen = [o.attrib["value"] for o in select.iter("option") if "selected" in o.attrib]
            values[select.attrib["name"]] = chosen[0] if chosen else ""
        return values

    @property
    def summary(self) -> dict[str, str]:
        """Field → message, from the summary; each must link to a control that carries the message too."""
        found: dict[str, str] = {}
        for link in (a for box in self.by_class("form-summary") for a in box.iter("a")):
            name = link.attrib["href"].removeprefix("#")
            control = self.by_id(name)
            assert control.get("aria-invalid") == "true"
            assert f"{name}-error" in control.attrib["aria-describedby"].split()
            assert words(link) in words(self.by_id(f"{name}-error"))
            found[name] = words(link)
        return found

    @property
    def notice(self) -> str:
        return " ".join(words(e) for e in self.by_class("form-notice"))

    @property
    def words(self) -> str:
        return words(next(iter(self.all("body"))))

    def by_id(self, name: str) -> Element:
        return next(e for e in self.root.iter() if e.get("id") == name)

    def by_class(self, name: str) -> list[Element]:
        return [e for e in self.root.iter() if name in e.get("class", "").split()]

    def all(self, tag: str) -> list[Element]:
        return list(self.root.iter(tag))


def words(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


@dataclass
class Applicant:
    """A browser with one form open."""

    client: httpx.Client
    address: str = "/acme/jobs/job-1/apply"
    page: Page = field(init=False)

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> Page:
        self.page = Page(self.client.get(self.address))
        return self.page

    def post(
        self, cv: tuple[str, bytes] | None = CV, *, hidden: dict[str, str] | None = None, **changes: Any
    ) -> httpx.Response:
        """Send the form. cv: None sends what a browser sends without a chosen file."""
        headers = changes.pop("headers", {})
        fields = {**(self.page.hidden if hidden is None else hidden), **ADA, **changes}
        files = {"cv": (*(cv or ("", b"")), "application/octet-stream")}
        return self.client.post(self.address, data=fields, files=files, headers=headers)

    def send(self, cv: tuple[str, bytes] | None = CV, **changes: Any) -> Page:
        """Post, and parse the returned form, which the next post uses."""
        response = self.post(cv, **changes)
        assert response.status_code != 303, "the application was taken"
        self.page = Page(response)
        return self.page

    def receipt(self, cv: tuple[str, bytes] | None = CV, **changes: Any) -> str:
        """Post; return the receipt's address."""
        response = self.post(cv, **changes)
        assert response.status_code == 303, Page(response).words
        return response.headers["location"]
