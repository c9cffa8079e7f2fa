"""A company whose jobs are read by programs."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from portal.delivery.uploads.disk_space import Space
from portal.site.feeds.streaming import folder_of
from tests import builders
from tests.site.browse.jobs import Careers, vacancy

FILE = """
[publish]
stages = ["Open"]
show_salary = {salary}
{unit}
[site]
locales = ["en", "de"]
tagline = "Robots & people"
about = "We build robots."
"""
FEEDS = ("feed.atom", "feed.json", "indeed.xml", "linkedin.xml")
BOARDS = (
    "/v1/boards/acme",
    "/v1/boards/acme/jobs",
    "/v1/boards/acme/jobs?content=true",
    "/v1/boards/acme/departments",
    "/v1/boards/acme/offices",
    "/v0/postings/acme?mode=json",
)
LONG = "<p>" + "We weld, measure and explain what we do. " * 10 + "</p>"


@dataclass
class Company(Careers):
    """The company Acme, and the disk of its feeds."""

    free: list[int]

    def fill_the_disk(self) -> None:
        self.free[0] = 0

    def empty_the_disk(self) -> None:
        self.free[0] = 10**12

    @property
    def folder(self) -> Path:
        return folder_of(self.portal.parts.database)

    def files(self, feed: str) -> list[str]:
        return sorted(path.name for path in (self.folder / "acme" / feed).iterdir())

    def file(self, *, salary: bool = True, unit: str | None = "YEAR", more: str = "") -> None:
        """Write what the company's file says."""
        said = f'salary_unit = "{unit}"' if unit else ""
        self.portal.write_tenant("acme", "Acme Robotics", FILE.format(salary=str(salary).lower(), unit=said) + more)
        self.clock.pass_time(5)

    def json(self, path: str) -> Any:
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return json.loads(answer.content)

    def titles(self) -> dict[str, set[str]]:
        """Return the titles in each feed and API."""
        atom = "{http://www.w3.org/2005/Atom}"
        self.clock.pass_time(1)
        found = {
            "feed.atom": {entry.findtext(f"{atom}title") for entry in self.xml("/acme/feed.atom").iter(f"{atom}entry")},
            "feed.json": {item["title"] for item in self.json("/acme/feed.json")["items"]},
            "greenhouse": {job["title"] for job in self.json("/v1/boards/acme/jobs")["jobs"]},
            "content": {job["title"] for job in self.json("/v1/boards/acme/jobs?content=true")["jobs"]},
            "departments": {
                job["title"] for each in self.json("/v1/boards/acme/departments")["departments"] for job in each["jobs"]
            },
            "offices": {
                job["title"]
                for office in self.json("/v1/boards/acme/offices")["offices"]
                for each in office["departments"]
                for job in each["jobs"]
            },
            "lever": {posting["text"] for posting in self.json("/v0/postings/acme")},
            "narrowed": {posting["text"] for posting in self.json("/v0/postings/acme?limit=50")},
        }
        for name in ("indeed.xml", "linkedin.xml"):
            found[name] = {job.findtext("title") for job in self.xml(f"/acme/{name}").iter("job")}
        return found

    def xml(self, path: str) -> ElementTree.Element:
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return ElementTree.fromstring(answer.content)  # noqa: S314  the portal's own document


def company(folder: Path, **settings: Any) -> Company:
    free = [10**12]
    made = builders.portal(
        folder / "site",
        free_space=lambda _: Space(10**12, free[0]),
        **{"base_url": "https://careers.example", **settings},
    )
    made.add_tenant("acme", "Acme Robotics", FILE.format(salary="true", unit='salary_unit = "YEAR"'))
    found = Company(made, free)
    shutil.rmtree(found.folder, ignore_errors=True)
    return found


__all__ = ["BOARDS", "FEEDS", "LONG", "Company", "company", "vacancy"]
