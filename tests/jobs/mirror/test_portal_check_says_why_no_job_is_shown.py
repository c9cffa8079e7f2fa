"""If the service lists vacancies and none of them is shown, `portal check` says how many, and why."""

from portal.jobs.mirror import state
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


def said(mirrored: Mirror) -> str:
    mirrored.sync()
    return state.none_shown(mirrored.database, mirrored.tenant, mirrored.clock)


def test_stages_dates_and_posting_ids_are_told_apart(mirrored: Mirror):
    assert said(mirrored) == "", "nothing is listed"
    mirrored.service.put(vacancy("v1", "Nurse", stage=None))
    assert said(mirrored) == "none of 1 vacancies is shown: 1: no stage; publish.stages lists Open"
    mirrored.service.put(vacancy("v2", "Cook", stage="Draft\n"))
    mirrored.service.put(vacancy("v3", "Smith", stage="Draft\n"))
    mirrored.service.put(vacancy("v4", "Baker", end_at="2020-01-01T00:00:00Z"))
    assert said(mirrored) == (
        "none of 4 vacancies is shown: 1: no stage, 2: stage 'Draft\\n', 1: not between their first and last day; "
        "publish.stages lists Open"
    )


def test_nothing_is_reported_once_a_job_is_shown(mirrored: Mirror):
    mirrored.service.put(vacancy("v1", "Nurse", stage="Draft"))
    assert said(mirrored)
    mirrored.service.put(vacancy("v2", "Cook"))
    assert said(mirrored) == ""
