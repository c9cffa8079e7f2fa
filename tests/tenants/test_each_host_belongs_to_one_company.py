"""A host belongs to one company: if two name it, both are reported, and links of the other use its other URL."""

from pathlib import Path

import pytest

from portal.platform.errors import SettingsError
from portal.tenants.addresses import addresses
from portal.tenants.folder import Tenants
from portal.tenants.toml import parse
from portal.tenants.values import host_name
from tests.told_clock import ToldClock

FILE = """name = "{name}"
[tracker]
base_url = "https://tracker.example"
api_key = "env:KEY"
[site]
hosts = {hosts}
"""
BASE = "https://portal.example"


class Folder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = ToldClock()
        self.known = Tenants(path, read_secret=lambda _: "k", clock=self.clock, portal_host="portal.example")

    def write(self, slug: str, *hosts: str) -> None:
        text = FILE.format(name=slug.title(), hosts=list(hosts)).replace("'", '"')
        (self.path / f"{slug}.toml").write_text(text, encoding="utf-8")
        self.clock.pass_time(1)

    def holder(self, host: str) -> str | None:
        found = self.known.by_host(host)
        return found.slug if found else None

    def home(self, slug: str) -> str:
        site = addresses(self.known.require(slug), base_url=BASE)
        return site.absolute(site.jobs())


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_the_first_company_keeps_the_host_and_both_are_named(folder: Folder):
    folder.write("globex", "jobs.example")
    assert folder.holder("jobs.example") == "globex"
    folder.write("acme", "jobs.example", "careers.acme.example")
    assert folder.holder("jobs.example") == "globex"
    assert folder.holder("careers.acme.example") == "acme"
    (problem,) = folder.known.problems().values()
    assert "globex.toml" in problem
    assert "acme.toml" in problem
    assert "jobs.example" in problem


def test_links_of_the_other_company_use_its_actual_url(folder: Folder):
    folder.write("globex", "jobs.example")
    folder.write("initech", "jobs.example")
    assert folder.home("globex") == "https://jobs.example/"
    assert folder.home("initech") == "https://portal.example/initech/"


def test_at_the_start_the_first_slug_gets_the_host(folder: Folder):
    (folder.path / "b.toml").write_text(FILE.format(name="B", hosts='["jobs.example"]'))
    folder.write("a", "jobs.example")
    assert folder.holder("jobs.example") == "a"
    assert list(folder.known.problems()) == ["b"]


def test_the_other_company_gets_a_released_host(folder: Folder):
    folder.write("globex", "jobs.example")
    folder.write("initech", "jobs.example")
    folder.write("globex")
    assert folder.holder("jobs.example") == "initech"
    assert folder.home("initech") == "https://jobs.example/"
    assert folder.known.problems() == {}


def test_the_portal_host_belongs_to_no_company(folder: Folder):
    folder.write("acme", "portal.example", "careers.acme.example")
    assert folder.holder("portal.example") is None
    assert folder.home("acme") == "https://careers.acme.example/"
    assert "PORTAL_BASE_URL" in folder.known.problems()["acme"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Careers.ACME.example", "careers.acme.example"),
        ("careers.acme.example.", "careers.acme.example"),
        ("karriere.müller.example", "karriere.xn--mller-kva.example"),
        ("KARRIERE.MÜLLER.example", "karriere.xn--mller-kva.example"),
        ("straße.example", "xn--strae-oqa.example"),
        ("xn--mller-kva.example", "xn--mller-kva.example"),
        (f"{'a' * 63}.example", f"{'a' * 63}.example"),
    ],
)
def test_usual_notations_of_a_host_are_accepted(folder: Folder, written: str, meant: str):
    folder.write("acme", written)
    assert folder.holder(meant) == "acme"
    assert folder.home("acme") == f"https://{meant}/"


@pytest.mark.parametrize(
    "written",
    ["careers", "10.0.0.1", "careers.acme.example:8443", "https://careers.acme.example", "careers.acme.example/jobs",
     "-a.example", "a-.example", "a..example", ".example", "a_b.example", "careers.acme.example..", "", "ü" * 300,
     f"{'a' * 64}.example", "*.acme.example", "a b.example", "[::1]"],
)  # fmt: skip
def test_an_invalid_host_is_rejected_with_the_expected_form(written: str):
    with pytest.raises(ValueError, match="expected a host name"):
        host_name(written)
    with pytest.raises(SettingsError, match=r"line 6: site\.hosts"):
        parse("acme", FILE.format(name="A", hosts=f'["{written}"]'), read_secret=lambda _: "k")
