"""Bad input at every route is rejected as the tables say, at low cost, without internal details."""

import gc
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hostile.corpus import Case, cases_of, right
from tests.hostile.judging import CPU_MOST, faults
from tests.hostile.premises import Premises, opened
from tests.hostile.routes import PORTAL, SERVICE
from tests.told_clock import ToldClock

# For a form that is cut off within a file, Werkzeug leaves the partial file in memory to the garbage collection.
pytestmark = pytest.mark.filterwarnings("ignore:.*SpooledTemporaryFile:pytest.PytestUnraisableExceptionWarning")
AT_LEAST = 1_500
"""Cases, of the whole corpus as of what `make test` sends of it."""


@pytest.fixture
def premises(portal_url: str, tracker_url: str, tmp_path: Path) -> Iterator[Premises]:
    with opened(tmp_path, ToldClock(), portal_url=portal_url, tracker_url=tracker_url) as made:
        yield made
    gc.collect()


def corpus(premises: Premises) -> list[Case]:
    return [case for turn, route in enumerate(premises.routes()) for case in cases_of(route, turn)]


def wrong_with(premises: Premises, cases: list[Case]) -> list[str]:
    """Send the cases; return a line for each violation."""
    found, met = [], set()
    for case in cases:
        asked, answer = premises.ask(case)
        if answer.cpu > CPU_MOST:  # garbage collection may have run meanwhile, which will not repeat
            answer = replace(answer, cpu=min(answer.cpu, premises.ask(case)[1].cpu))
        found += [f"{case} {one}" for one in faults(asked, answer, case.expected, premises.secrets)]
        met.add(case.key)
    counted = Counter((route.partition(":")[0], place) for route, place, _, _ in met)
    print(f"{len(met)} cases:", ", ".join(f"{app} {place} {many}" for (app, place), many in sorted(counted.items())))  # noqa: T201  shown by `pytest -s`
    assert len(met) >= AT_LEAST
    return found


MORE_IS_NEEDED = {
    "portal: GET /.well-known/portal-host",  # a company with its own host
    "portal: GET /<slug>/<key>.txt",  # a key of a search engine
    "portal: GET /<slug>/embed/refused",  # an error page
    "portal: GET /<slug>/pictures/<digest>",  # a picture
    "portal: POST /<slug>/jobs/<posting_id>/apply/kept",  # a file sent by the form's script
    "portal: POST /<slug>/uploads/checked",
    "portal: POST /<slug>/uploads/direct/file",
    "portal: POST /<slug>/profile/code",  # the code of an email
    "hiring: POST /<slug>/hiring/code",
    "portal: POST /<slug>/profile/record",  # two records with one address
    "portal: GET /<slug>/profile/undo",  # a change of address
    "portal: POST /<slug>/profile/undo",
    "hiring: POST /<slug>/hiring/applications/<application_id>/notes/delete",  # the number of a note
}
"""Routes that the premises do not open: what is bad meets their first checks."""


def test_valid_requests_are_accepted(premises: Premises):
    """Otherwise bad input would only meet an access check; metrics are open to this machine, by a header."""
    refused = {str(route) for route in premises.routes() if premises.ask(right(route))[1].status >= 400}
    assert refused - {f"{app}: GET /metrics" for app in (PORTAL, SERVICE)} == MORE_IS_NEEDED


def test_bad_input_is_rejected_cheaply_without_internal_details(premises: Premises):
    assert wrong_with(premises, [case for case in corpus(premises) if case.is_daily]) == []


@pytest.mark.verify
@pytest.mark.parametrize("part", [0, 1])
def test_the_complete_corpus_is_rejected(premises: Premises, database_kind: str, part: int):
    """In two parts, for two processes. On PostgreSQL a third of what may reach it: it rejects NUL and large numbers."""
    every = [case for case in corpus(premises) if case.is_thorough and case.turn % 2 == part]
    if database_kind == "postgresql":
        every = [case for case in every if case.is_stored and case.turn % 3 == 0]
    assert wrong_with(premises, every) == []
