import pytest

from portal.jobs.posting import Sort
from tests.jobs.conftest import Mirror
from tests.jobs.standin import iso, vacancy


def fill(mirrored: Mirror, many: int = 47) -> None:
    now = mirrored.clock.now()
    for number in range(many):
        title = "Nurse" if number % 3 else "Doctor"
        # Three share each date, so that order within a date matters too.
        record = vacancy(
            f"v{number}", title, created_at=iso(now, days=-(number // 3) - 1), description="A nurse writes."
        )
        mirrored.service.put(record)
    mirrored.sync()


def walk(mirrored: Mirror, text: str, sort: Sort | None) -> list[str]:
    seen: list[str] = []
    after = None
    for _ in range(20):
        found = mirrored.find(text, sort=sort, after=after, size=7)
        seen += [hit.posting.id for hit in found.hits]
        assert found.total == 47
        after = found.next
        if after is None:
            return seen
    raise AssertionError("no end")


@pytest.mark.parametrize(("text", "sort"), [("", None), ("nurse", None), ("nurse", Sort.DATE)])
def test_every_posting_is_listed_once_and_in_order(mirrored: Mirror, text: str, sort: Sort | None):
    fill(mirrored)
    seen = walk(mirrored, text, sort)
    assert len(seen) == len(set(seen)) == 47
    everything = mirrored.find(text, sort=sort, size=100)
    assert seen == [hit.posting.id for hit in everything.hits]
    assert everything.next is None


def test_the_newest_come_first(mirrored: Mirror):
    fill(mirrored)
    dates = [hit.posting.created_at for hit in mirrored.find(size=100).hits]
    assert dates == sorted(dates, reverse=True)  # type: ignore[type-var]  every posting here has a date


def test_a_job_that_appears_meanwhile_shifts_no_page(mirrored: Mirror):
    fill(mirrored)
    first = mirrored.find(size=7)
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("new", created_at=iso(mirrored.clock.now())))
    mirrored.sync()
    second = mirrored.find(size=7, after=first.next)
    assert not {h.posting.id for h in first.hits} & {h.posting.id for h in second.hits}


@pytest.mark.parametrize(
    "after", ["x", "", "ZDAsMSwx0", "AAAA", "....", "é", "a" * 5_000, "ZDAsOTk5OTk5OTk5OTk5OTk5OTk5OTksMQ"]
)
def test_an_invalid_page_reference_leads_to_the_first_page(mirrored: Mirror, after: str):
    fill(mirrored, 10)
    assert mirrored.titles(after=after) == mirrored.titles()


def test_a_page_reference_of_another_order_leads_to_the_first_page(mirrored: Mirror):
    fill(mirrored)
    by_date = mirrored.find("nurse", sort=Sort.DATE, size=7)
    assert mirrored.titles("nurse", after=by_date.next, size=7) == mirrored.titles("nurse", size=7)


def test_a_creation_date_in_the_future_does_not_stay_on_top(mirrored: Mirror):
    mirrored.service.put(vacancy("odd", created_at="2099-01-01T00:00:00Z"))
    mirrored.sync()
    mirrored.clock.pass_time(86_400)
    mirrored.service.put(vacancy("new", created_at=iso(mirrored.clock.now())))
    mirrored.sync()
    assert [hit.posting.id for hit in mirrored.find().hits] == ["new", "odd"]
