import pytest

from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


def shown(mirrored: Mirror, low: float | None, high: float | None) -> tuple[float | None, float | None] | None:
    mirrored.tenant = type(mirrored.tenant)(
        **{name: getattr(mirrored.tenant, name) for name in ("slug", "name", "tracker", "site")},
        publish=type(mirrored.tenant.publish)(stages=frozenset({"Open"}), show_salary=True),
    )
    mirrored.service.put(vacancy("v1", salary={"currency": "EUR", "min": low, "max": high}))
    mirrored.sync()
    assert mirrored.find().total == 1
    salary = mirrored.find().hits[0].posting.salary
    return salary and (salary.low, salary.high)


@pytest.mark.parametrize(
    ("low", "high"), [(1e300, 1), (1e300, None), (None, 1e12 + 1), (-1, 5), (90_000, 10), (-5, -1), (None, None)]
)
def test_an_invalid_salary_is_shown_nowhere(mirrored: Mirror, low: float | None, high: float | None):
    assert shown(mirrored, low, high) is None


@pytest.mark.parametrize(("low", "high"), [(0, 1e12), (50_000, 50_000), (None, 12.5), (1_000, None)])
def test_any_other_salary_is_shown(mirrored: Mirror, low: float | None, high: float | None):
    assert shown(mirrored, low, high) == (low, high)
