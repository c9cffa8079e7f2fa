"""An operator finds submissions by the title of their job, by day and by state, and reads titles instead of ids."""

import pytest

from tests.operations.console.desk import Desk, words


def rows(desk: Desk, query: str) -> str:
    """Return the rows of the results; empty without a table."""
    return words(desk.page(f"/submissions?{query}").partition("<tbody>")[2].partition("</tbody>")[0])


def title(desk: Desk, reference: str) -> str:
    return (
        desk.page("/submissions")
        .partition(reference + "</a>")[2]
        .partition('data-label="Job">')[2]
        .partition("</td>")[0]
    )


def test_a_submission_is_found_by_its_job_its_day_and_its_state_together(desk: Desk):
    first = desk.scene.apply("ada")
    other = desk.scene.apply("kurt", tenant="globex")
    desk.scene.deliver()
    desk.scene.clock.pass_time(86_400 * 3)
    later = desk.scene.apply("grace")
    day, today = (f"{desk.scene.overview(one).accepted_at:%Y-%m-%d}" for one in (first, later))
    named = title(desk, first)
    assert named
    assert named not in {desk.scene.overview(first).posting_id, ""}
    word = named.split()[0].upper()
    found = rows(desk, f"job={word}&tenant=acme&from={day}&to={day}&state=delivered")
    assert first in found
    assert later not in found
    assert other not in found
    assert later in rows(desk, f"job={word}&from={today}")
    assert first not in rows(desk, f"job={word}&from={today}")
    assert first in rows(desk, f"to={day}")
    assert later not in rows(desk, f"to={day}")
    assert first in rows(desk, f"job={desk.scene.overview(first).posting_id}")
    assert rows(desk, f"job={word}&state=dead") == ""


def test_nothing_found_says_how_to_widen_the_search(desk: Desk):
    desk.scene.apply()
    said = desk.read("/submissions?job=No+such+job&from=2026-01-01")
    assert "No submissions match this search. Choose more days, or leave out another condition." in said
    assert "Show all submissions" in said
    assert "There are no submissions" not in said


@pytest.mark.parametrize(
    "query", ["from=2026-02-31", "to=1000-01-01", "from='", "job=%00", "job=" + "%25" * 3000, "to=9999999-01-01"]
)
def test_what_is_typed_wrong_is_left_out_or_finds_nothing(desk: Desk, query: str):
    reference = desk.scene.apply()
    assert rows(desk, query) == "" if "%25" in query else reference in rows(desk, query)


def test_the_next_page_keeps_what_was_searched_for(desk: Desk):
    named = title(desk, desk.scene.apply("first"))
    for number in range(50):
        desk.scene.apply(f"person{number}")
    page = desk.page(f"/submissions?job={named.split()[0]}&from=2020-01-01&to=2999-12-31")
    older = page.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    assert f"job={named.split()[0]}&from=2020-01-01&to=2999-12-31&after=" in older
    assert rows(desk, older.partition("?")[2]).count("Queued") == 1
