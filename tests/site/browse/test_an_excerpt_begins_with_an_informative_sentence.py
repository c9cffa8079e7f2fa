"""An excerpt begins with the first informative sentence, after title, headings and text about the company."""

import re

import pytest

from tests.site.browse.jobs import Careers, vacancy

SAYS = "You weld what others only draw."
FIRST = f"<p>{SAYS}</p>"


@pytest.mark.parametrize(
    "before",
    [
        "",
        "<h2>Welder</h2>",
        "<h1>WELDER (m/f/x)</h1>",
        "<p><b>Welder</b></p>",
        "<div>Welder</div>",
        "<h2>Your tasks</h2>",
        "<p><strong>Why this job exists</strong></p>",
        "<p>What awaits you:</p>",
        "<p>Print this page</p>",
        "<h2>About us</h2><p>We are a leading maker of tin. We grow.</p><h2>The job</h2>",
        "<h2>Über uns</h2><p>Wir sind führend.</p><p>Seit 1900.</p><h3>Aufgaben</h3>",
    ],
)
def test_uninformative_text_at_the_beginning_is_skipped(acme: Careers, before: str) -> None:
    acme.publish(vacancy("w1", "Welder (m/f/x)", before + FIRST))
    assert excerpt(acme) == SAYS


@pytest.mark.parametrize(
    ("description", "begins"),
    [
        ("<h2>About us</h2><p>We make tin.</p>", "We make tin."),
        ("<h2>Welder wanted</h2>", "Welder wanted"),
        ("<h2>Tasks</h2><ul><li>Weld</li></ul>", "Weld"),
        ("Welder for the yard, at once", "Welder for the yard, at once"),
        ("<p><b>You weld.</b></p><p>Every day.</p>", "You weld. Every day."),
    ],
)
def test_a_description_without_such_a_sentence_still_has_an_excerpt(
    acme: Careers, description: str, begins: str
) -> None:
    acme.publish(vacancy("w1", "Welder", description))
    assert excerpt(acme) == begins


@pytest.mark.parametrize(
    ("description", "reads"),
    [
        (
            "<p>You weld. Every day.</p><p>Hours: 37.5 a week</p><p>Come.</p>",
            "You weld. Every day. Hours: 37.5 a week · Come.",
        ),
        ("<p>Now, at once!!!<br>Welder in Kiel<br>You weld.</p>", "Now, at once!!! Welder in Kiel · You weld."),
        ("<p>You and we<br>\n  <b>weld</b>, every\nday.</p>", "You and we · weld, every day."),
    ],
)
def test_blocks_that_do_not_end_like_a_sentence_are_separated(acme: Careers, description: str, reads: str) -> None:
    acme.publish(vacancy("w1", "Painter", description))
    assert excerpt(acme) == reads


@pytest.mark.parametrize(
    "after",
    [
        "",
        "<h2>What you'll own</h2><p>Threat models.</p>",
        "<p><b>What you'll own</b></p><p>Threat models.</p>",
        "<p><b>What you'll own:</b><br>- Threat models</p>",
        "<br><br><strong>What you'll own</strong><br>Threat models",
        "<p><u>What you'll own</u></p><ul><li>Threat models</li></ul>",
        "<ul><li>Threat models</li></ul>",
        "<table><tr><td>Team</td><td>Eleven people</td></tr></table>",
    ],
)
def test_an_excerpt_ends_before_the_next_heading_or_list(acme: Careers, after: str) -> None:
    acme.publish(vacancy("w1", "Welder (m/f/x)", FIRST + after))
    assert excerpt(acme) == SAYS


def test_an_excerpt_continues_with_the_next_paragraph(acme: Careers) -> None:
    acme.publish(vacancy("w1", "Welder (m/f/x)", f"{FIRST}<p>We <b>pay</b> well.</p><h2>Hours</h2><p>Few.</p>"))
    assert excerpt(acme) == f"{SAYS} We pay well."


def test_no_heading_is_shown_around_a_matching_word(acme: Careers) -> None:
    text = f"{FIRST}<p>{'Quiet work. ' * 40}</p><h2>Tools</h2><p>A crane helps.</p><h2>Hours</h2><p>Few.</p>"
    acme.publish(vacancy("w1", "Welder", text))
    assert excerpt(acme, "?q=crane") == "A crane helps."


def test_a_matching_word_is_shown_in_its_context(acme: Careers) -> None:
    acme.publish(vacancy("w1", "Welder", f"<h2>Welding tin</h2>{FIRST}<p>{'Quiet work. ' * 40}A crane helps.</p>"))
    assert excerpt(acme, "?q=crane").endswith("A crane helps.")
    assert excerpt(acme, "?q=tin").startswith(SAYS)


@pytest.mark.parametrize("first", ["<h2>Welder</h2>", "<p><b>WELDER</b></p>", "<p>Welder (m/f/x)</p>"])
def test_a_job_page_shows_its_title_once(acme: Careers, first: str) -> None:
    acme.publish(vacancy("w1", "Welder (m/f/x)", first + FIRST))
    prose = acme.get("/acme/jobs/w1").text.split('class="prose"')[1].split('class="job-end"')[0]
    assert "welder" not in prose.lower()
    assert SAYS in prose


@pytest.mark.parametrize("first", ["<h2>Welder, from May</h2>", "<p>Welder.</p>", "<p>We look for a welder</p>"])
def test_a_title_with_more_information_is_kept(acme: Careers, first: str) -> None:
    acme.publish(vacancy("w1", "Welder (m/f/x)", first + FIRST))
    assert re.sub("<[^>]*>", "", first) in acme.get("/acme/jobs/w1").text


def excerpt(acme: Careers, search: str = "") -> str:
    found = re.search(r'class="card-summary"[^>]*>(.*?)</p>', acme.get(f"/acme/{search}").text, re.DOTALL)
    assert found
    return re.sub("<[^>]*>", "", found[1]).strip()
