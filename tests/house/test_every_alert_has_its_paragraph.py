"""An alert without a paragraph, or with a figure that is not there, fails here; so does a figure not written down."""

import json
import re

import pytest

from tests import builders
from tests.watching.figures import ALERTS, DASHBOARD, OPERATING, families, named_in

SAID = OPERATING.read_text(encoding="utf-8")
RULES = ALERTS.read_text(encoding="utf-8")


def expressions() -> str:
    """Of every alert: each stands behind `expr:`, on its line or the next ones."""
    found = re.findall(r"expr: (?:>-\n)?(.*?)\n(?: {8}for:| {8}labels:)", RULES, re.DOTALL)
    assert len(found) == RULES.count("- alert:")
    return "\n".join(found)


def anchors(text: str) -> set[str]:
    """As they are made of headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def watching() -> str:
    return SAID.partition("\n## Watching\n")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Every figure that a portal and a service with a company tell."""
    made = builders.portal(tmp_path_factory.mktemp("portal"))
    made.add_tenant("acme", "Acme")
    made.parts.clock.pass_time(1)
    with made.browser() as monitoring:
        portal = monitoring.get("/metrics").text
    service = made.service.app.test_client().get("/metrics").text
    made.parts.close()
    return families(portal) | families(service)


def test_every_alert_names_a_paragraph_that_is_there():
    named = re.findall(r"runbook: docs/operating\.md#(\S+)", RULES)
    assert len(named) == RULES.count("- alert:")
    assert set(named) <= anchors(SAID)


def test_every_alert_stands_in_the_paragraph_that_it_names():
    for alert, anchor in re.findall(r"- alert: (\w+).*?#([a-z-]+)\n", RULES, re.DOTALL):
        paragraphs = [part for part in re.split(r"\n##+ ", SAID) if anchors(f"# {part.splitlines()[0]}") == {anchor}]
        assert len(paragraphs) == 1, anchor
        if anchor in anchors(watching()):
            assert f"`{alert}`" in paragraphs[0], alert


def test_every_part_says_where_to_read_on():
    from portal.standing.part import ANCHORS, MEANS, Name

    assert set(ANCHORS) == set(MEANS) == set(Name)
    assert set(ANCHORS.values()) <= anchors(SAID)


def test_alerts_ask_for_figures_that_there_are(told: set[str]):
    assert named_in(expressions()) <= told


def test_the_dashboard_asks_for_figures_that_there_are(told: set[str]):
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]
    assert named_in("\n".join(asked)) <= told


def test_every_figure_is_written_down(told: set[str]):
    text = watching()
    plain = {re.sub(r"_(bucket|count|sum)$", "", name) for name in told if name.startswith("portal_http_seconds")}
    plain |= {name for name in told if not name.startswith("portal_http_seconds")}
    lacking = [name for name in sorted(plain) if name not in text and not _by_its_end(name, text)]
    assert not lacking


def _by_its_end(name: str, text: str) -> bool:
    """`tracker_…` and `…_oldest_undelivered_seconds` stand there once for several."""
    if name.startswith("tracker_"):
        return name.removeprefix("tracker_").removesuffix("_bucket").removesuffix("_count").removesuffix("_sum") in text
    return name.endswith(("_oldest_undelivered_seconds", "_failures"))
