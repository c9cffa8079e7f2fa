"""The demo names no real company, product or web address."""

import html
import json
import re
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from portal.demo.vacancies import records

DATA = Path(str(files("portal.demo") / "data"))
NAMES = """
abb adobe airbnb airbus aldi allianz amazon android apple bahncard atlassian audi aws azure barclays bayer beckhoff
bmw bosch
cisco continental daimler dhl ebay eplan facebook fanuc ford github gitlab google hays hilton hsbc ibm ikea
indeed infineon intel jira kuka lidl linkedin lufthansa maersk marriott mercedes meta microsoft netflix nvidia
oracle orsted philips porsche randstad salesforce sap siemens slack solidworks spotify tesla toyota twitter
uber vestas volkswagen xing yaskawa zalando
"""
REAL = set(NAMES.split())


def seen_text(markup: str) -> str:
    """Return the visible text, without markup, which names real companies in namespaces."""
    return html.unescape(re.sub(r"<!--.*?-->|<[^>]*>", " ", markup, flags=re.DOTALL))


def test_no_real_company_is_named() -> None:
    for slug in ("acme", "globex"):
        for record in map(json.loads, records(slug, datetime(2031, 5, 6, tzinfo=UTC))):
            words = set(re.findall(r"[a-z]+", seen_text(json.dumps(record, ensure_ascii=False)).lower()))
            assert words.isdisjoint(REAL), record["record"].get("id")


def test_every_web_address_is_reserved_for_examples() -> None:
    for path in DATA.rglob("*.*"):
        # SVG's namespace looks like a web address; nothing is requested there.
        text = path.read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        hosts = re.findall(r"https?://([^/\"'\s?]+)", text) + re.findall(r"@([\w.-]+\.\w+)", text)
        ours = {"127.0.0.1:8000", "localhost:8000"}  # the demo itself, and the company's own site within it
        assert [host for host in hosts if not host.endswith(".example") and host not in ours] == [], path.name


def test_every_description_belongs_to_a_vacancy() -> None:
    for slug in ("acme", "globex"):
        facts = json.loads((DATA / f"{slug}.json").read_text(encoding="utf-8"))
        assert sorted(vacancy["text"] for vacancy in facts["vacancies"]) == sorted(
            path.stem for path in (DATA / slug).iterdir()
        )
