"""A company with jobs at a real service, and a visitor of its pages."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import html5lib
import httpx

from tests import builders
from tests.told_clock import ToldClock

FILE = """
[publish]
stages = ["Open"]
show_salary = {salary}
show_client = {client}
[publish.facets]
"Department" = "attribute:dep"
[site.text.de.facets]
"Department" = "Abteilung"
[site]
locales = ["en", "de"]
tagline = "Robots that are good company"
about = "We build robots."
[embed]
origins = ["https://www.acme.example"]
"""


def vacancy(vacancy_id: str, name: str, description: str = "<p>Come to us.</p>", **more: Any) -> str:
    """Return a vacancy as the service loads it.

    more: stage, city, country, type, way, created, start, end, salary, client, department.
    """
    place = {"city": more.get("city", "Berlin"), "country": more.get("country", "DE")}
    record: dict[str, Any] = {
        "id": vacancy_id,
        "name": {"viewType": "vacancyName", "name": name},
        "description": {"viewType": "vacancyDescription", "description": description},
        "stage": {
            "viewType": "vacancyStage",
            "stage": {"id": "s", "order": 0, "name": more.get("stage", "Open"), "colorHex": "#2e7d32"},
        },
        "createdAt": {"viewType": "vacancyCreatedAt", "createdAt": more.get("created", "2026-05-04T08:00:00Z")},
        "startAt": {"viewType": "vacancyStartAt", "startAt": more.get("start")},
        "endAt": {"viewType": "vacancyEndAt", "endAt": more.get("end")},
        "location": {"viewType": "vacancyLocation", "location": place},
        "employmentType": {"viewType": "vacancyEmploymentType", "employmentType": more.get("type", "fullTime")},
        "locationType": {"viewType": "vacancyLocationType", "locationType": more.get("way", "onsite")},
        "salaryRange": {"viewType": "vacancySalaryRange", "salaryRange": more.get("salary")},
    }
    if department := more.get("department"):
        record["customAttributes"] = [{"attributeDefinitionId": "dep", "value": department}]
    if client := more.get("client"):
        record["client"] = {"viewType": "vacancyClient", "client": {"id": f"c-{client}", "name": client}}
    return json.dumps({"kind": "vacancy", "record": record})


@dataclass
class Careers:
    """Acme's careers site."""

    portal: builders.Portal

    @property
    def clock(self) -> ToldClock:
        clock = self.portal.parts.clock
        assert isinstance(clock, ToldClock)
        return clock

    def publish(self, *lines: str) -> None:
        """Load jobs into the service and sync them."""
        self.portal.service.load("acme", list(lines))
        self.mirror()

    def mirror(self) -> None:
        self.clock.pass_time(86_401)
        self.portal.work.mirror_what_is_due()

    def give_host(self, *hosts: str) -> None:
        """Set hosts in the tenant file; careers.acme.example if none is given."""
        file = self.portal.parts.settings.tenants / "acme.toml"
        named = json.dumps(hosts or ["careers.acme.example"])
        file.write_text(file.read_text(encoding="utf-8").replace("[site]\n", f"[site]\nhosts = {named}\n"))
        self.clock.pass_time(2)

    def get(self, path: str, **headers: str) -> httpx.Response:
        """Fetch a page; whatever is HTML is parsed strictly."""
        with self.portal.browser(**headers) as browser:
            answer = browser.get(path)
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            html5lib.HTMLParser(strict=True).parse(answer.text)
        return answer


def careers(folder: Path, *, salary: bool = True, client: bool = True) -> Careers:
    made = builders.portal(folder)
    made.add_tenant("acme", "Acme Robotics", FILE.format(salary=str(salary).lower(), client=str(client).lower()))
    return Careers(made)
