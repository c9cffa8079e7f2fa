"""An operator finds submissions by the title of their job, by day and by state, and reads titles instead of ids."""

import pytest

from tests.operations.console.operator_console import OperatorConsole, words


def rows(console: OperatorConsole, query: str) -> str:
    """Return the rows of the results; empty without a table."""
    return words(console.page(f"/submissions?{query}").partition("<tbody>")[2].partition("</tbody>")[0])


def title(console: OperatorConsole, reference: str) -> str:
    return (
        console.page("/submissions")
        .partition(reference + "</a>")[2]
        .partition('data-label="Job">')[2]
        .partition("</td>")[0]
    )


def test_an_application_is_found_by_job_day_and_status_together(console: OperatorConsole):
    first = console.scene.apply("ada")
    other = console.scene.apply("kurt", tenant="globex")
    console.scene.deliver()
    console.scene.clock.pass_time(86_400 * 3)
    later = console.scene.apply("grace")
    day, today = (f"{console.scene.overview(one).accepted_at:%Y-%m-%d}" for one in (first, later))
    named = title(console, first)
    assert named
    assert named not in {console.scene.overview(first).posting_id, ""}
    word = named.split()[0].upper()
    found = rows(console, f"job={word}&tenant=acme&from={day}&to={day}&state=delivered")
    assert first in found
    assert later not in found
    assert other not in found
    assert later in rows(console, f"job={word}&from={today}")
    assert first not in rows(console, f"job={word}&from={today}")
    assert first in rows(console, f"to={day}")
    assert later not in rows(console, f"to={day}")
    assert first in rows(console, f"job={console.scene.overview(first).posting_id}")
    assert rows(console, f"job={word}&state=dead") == ""


def test_an_empty_result_suggests_how_to_widen_the_search(console: OperatorConsole):
    console.scene.apply()
    said = console.read("/submissions?job=No+such+job&from=2026-01-01")
    assert "No submissions match this search. Choose more days, or leave out another condition." in said
    assert "Show all submissions" in said
    assert "There are no submissions" not in said


@pytest.mark.parametrize(
    "query", ["from=2026-02-31", "to=1000-01-01", "from='", "job=%00", "job=" + "%25" * 3000, "to=9999999-01-01"]
)
def test_invalid_search_values_are_ignored_or_find_nothing(console: OperatorConsole, query: str):
    reference = console.scene.apply()
    assert rows(console, query) == "" if "%25" in query else reference in rows(console, query)


def test_the_next_page_keeps_the_search(console: OperatorConsole):
    named = title(console, console.scene.apply("first"))
    for number in range(50):
        console.scene.apply(f"person{number}")
    page = console.page(f"/submissions?job={named.split()[0]}&from=2020-01-01&to=2999-12-31")
    older = page.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    assert f"job={named.split()[0]}&from=2020-01-01&to=2999-12-31&after=" in older
    assert rows(console, older.partition("?")[2]).count("Queued") == 1
