"""Responses are stored in advance: after any change, a stored response equals a newly generated one."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.contract.applications import Application
from portal.contract.candidates import Candidate
from portal.contract.model import Read
from portal.contract.pipeline import PipelineStage
from portal.contract.vacancies import Vacancy, VacancyDetail
from portal.tracker import stages, tables, vacancies
from portal.tracker.shapes import completed, names, rendered, written
from tests.parts import tracker_edits
from tests.tracker import full
from tests.tracker.office import Json, Office, vacancy_body

STEPS = 24
SHAPES: dict[sa.Table, type[Read]] = {
    tables.candidates: Candidate,
    tables.applications: Application,
    tables.stages: PipelineStage,
    tables.vacancies: Vacancy,
}


def some(chance: random.Random, found: list[Json]) -> Json | None:
    return chance.choice(found) if found else None


def apply(office: Office, chance: random.Random) -> None:
    if vacancy := some(chance, list(office.walk("/vacancies"))):
        who = chance.randrange(4)
        told = {"email": f"p{who}@people.example", "phoneNumber": f"+49301234{chance.randrange(9)}"}
        assert office.apply(vacancy["id"], **told).status_code in {201, 409}


def update(office: Office, chance: random.Random) -> None:
    if candidate := some(chance, office.candidates()):
        body = {"firstName": "Bö", "lastName": 'O"Neil', "emails": [{"email": f"n{chance.random()}@people.example"}]}
        path = f"/acme/candidate-portal/{candidate['id']}"
        assert office.public.post(path, json=body).status_code == 200


def create(office: Office, chance: random.Random) -> None:
    status = chance.choice(["open", "closed", "hold"])
    params, body = {"companyId": office.company}, vacancy_body(status=status, name="Wélder \u2028")
    assert office.recruiter.post("/vacancies", params=params, json=body).status_code == 201


def enter(office: Office, chance: random.Random) -> None:
    body = {"firstName": "Cy", "lastName": "Lind", "emails": [{"email": f"c{chance.random()}@people.example"}]}
    assert office.recruiter.post("/candidates", json=body).status_code in {201, 422}


def load(office: Office, chance: random.Random) -> None:
    kinds = {"vacancy": VacancyDetail, "candidate": Candidate, "application": Application, "stage": PipelineStage}
    kind = chance.choice(list(kinds))
    record = full.record(kinds[kind])
    for name in chance.sample([name for name in record if name != "id"], 3):
        del record[name]
    if kind == "application" and (vacancy := some(chance, list(office.walk("/vacancies")))):
        record["vacancy"] = {"id": vacancy["id"]}
    office.load((kind, record))


def edit_vacancy(office: Office, chance: random.Random) -> None:
    if vacancy := some(chance, list(office.walk("/vacancies"))):
        change = chance.choice([{"name": "Fitter"}, {"status": "closed"}, {"status": "open"}, {"endAt": None}])
        assert tracker_edits.update_vacancy(office.database, office.clock, "acme", vacancy["id"], **change)


def edit_candidate(office: Office, chance: random.Random) -> None:
    if candidate := some(chance, office.candidates()):
        emails = {"emails": [{"email": f"e{chance.random()}@people.example"}]}
        change: dict[str, Json] = chance.choice([{"name": {"lastName": "Ito"}}, {"emails": emails}])
        assert tracker_edits.update_candidate(office.database, office.clock, "acme", candidate["id"], **change)


def remove(office: Office, chance: random.Random) -> None:
    if vacancy := some(chance, list(office.walk("/vacancies"))):
        assert tracker_edits.delete_vacancy(office.database, office.clock, "acme", vacancy["id"])
    if candidate := some(chance, office.candidates()):
        assert tracker_edits.delete_candidate(office.database, office.clock, "acme", candidate["id"])


CHANGES: list[Callable[[Office, random.Random], None]] = [
    *(apply, apply, apply, update, create, create, enter, load, load, edit_vacancy, edit_candidate, remove)
]


def check(office: Office) -> None:
    """Compare every stored response text with a newly generated one; changes of the check are rolled back."""
    with office.database.engine.connect() as connection:
        for table, shape in SHAPES.items():
            for text in connection.execute(sa.select(table.c.record)).scalars():
                assert text == written(completed(shape, json.loads(text)))
        assert summed_up(connection) == summed_up(connection, anew=True)
        connection.rollback()
    for path, table in (("/vacancies", tables.vacancies), ("/candidates", tables.candidates)):
        page = office.recruiter.get(path, params={"limit": 50}).text
        with office.database.read() as connection:
            texts = connection.execute(sa.select(table.c.record).order_by(table.c.modified)).scalars().all()
        assert page.startswith('{"items":[' + ",".join(texts) + '],"pageInfo":')
    for vacancy in office.walk("/vacancies"):
        detail = office.recruiter.get(f"/vacancies/{vacancy['id']}").json()
        assert {name: detail[name] for name in vacancy} == vacancy
        assert names(VacancyDetail) <= detail.keys()


def summed_up(connection: sa.Connection, *, anew: bool = False) -> list[Any]:
    """Return the stored counts by stage and of applications."""
    vacancy_ids = set(connection.execute(sa.select(tables.tallies.c.id)).scalars())
    if anew:
        vacancies.recount(connection, 1, vacancy_ids)
        stages.renew_board(connection, 1)
    tallies = connection.execute(sa.select(tables.tallies.c.id, tables.tallies.c.counts)).all()
    board = connection.execute(sa.select(tables.tenants.c.board, tables.tenants.c.first_stage)).one()
    return [{row.id: json.loads(row.counts) for row in tallies}, *map(json.loads, board)]


@pytest.mark.parametrize("seed", range(2))
def test_stored_responses_are_updated_after_every_kind_of_change(office: Office, seed: int):
    chance = random.Random(seed)  # noqa: S311  not for secrets
    order = [*CHANGES, *(chance.choice(CHANGES) for _ in range(STEPS - len(CHANGES)))]
    for change in order:
        change(office, chance)
        check(office)


@settings(deadline=None, max_examples=40)
@given(shape=st.sampled_from([Candidate, Application, VacancyDetail]), seed=st.integers(0, 2**32))
def test_the_text_of_any_partial_record_is_that_of_the_completed_record(shape: type[Read], seed: int):
    record = without(full.record(shape), random.Random(seed))  # noqa: S311  not for secrets
    assert rendered(shape, record) == written(completed(shape, record))


def without(value: Any, chance: random.Random) -> Any:
    """Return the record with members missing, null or unknown at any depth."""
    if isinstance(value, list):
        return [without(entry, chance) for entry in value] + chance.choice([[], [None]])
    if not isinstance(value, dict):
        return value
    kept = {}
    for name, inside in value.items():
        what = chance.choice(["kept", "kept", "null", "left out"])
        if what != "left out":
            kept[name] = None if what == "null" else without(inside, chance)
    return kept | chance.choice([{}, {"x": 1.5, "é\u2028": [None, {"y": "z"}]}])
