"""The console and the manual explain every outcome of a row, with a remedy."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.adapters.tracker_client import errors as tracker_errors
from portal.background.outbox.states import NOT_REVIEWED, OVERTAKEN, REPLACED, UNCONFIRMED, OutboxState
from portal.operations.console.messages import STATES, cause
from portal.platform import errors

MANUAL = (Path(__file__).parents[3] / "docs" / "operating" / "troubleshoot.md").read_text(encoding="utf-8")
OTHERS = ("WorkerVanished", "Fault", "TenantMissing", "NotSentAgainYet", "DatabaseUnavailable")
UNKNOWN = cause("NoSuchFailure")


def leaves(of: type[errors.PortalError]) -> Iterator[str]:
    below = of.__subclasses__()
    for one in below:
        yield from leaves(one)
    if not below:
        yield of.__name__


def failures() -> list[str]:
    kinds = (tracker_errors.TrackerError, errors.StoreError, errors.ScanError, errors.MailError)
    named = {name for kind in kinds for name in leaves(kind)}
    return sorted({*named, *OTHERS, REPLACED, OVERTAKEN, UNCONFIRMED, NOT_REVIEWED})


@pytest.mark.parametrize("name", failures())
def test_every_failure_has_an_explanation(name: str):
    found = cause(name)
    assert found is not UNKNOWN
    assert found.says
    assert found.remedy


def test_every_cause_in_the_manual_is_known_to_the_console():
    table = MANUAL.partition("\n## An application has failed\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(named) > 10
    assert [name for name in named if cause(name) is UNKNOWN] == []


def test_every_status_has_an_explanation():
    assert set(STATES) == set(OutboxState)
