"""Titles and descriptions of pages for search results and previews, never cut within a word."""

from collections.abc import Sequence

from flask_babel import get_locale, gettext

from portal.jobs.posting import Posting
from portal.jobs.text.cleaning import plain
from portal.site.words.locale import in_a_list

TITLE_MOST = 60
DESCRIPTION_MOST = 155
"""Characters of each that search engines show on a desktop."""
_TRAILING = " ,;:.–-—·(/"


def cut(text: str, most: int) -> str:
    """Return the text in one line, cut between words and ended with "…" if it is longer than `most` characters."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    shortened = text[:most]  # one character of it is for the "…"
    end = shortened.rfind(" ")
    return (shortened[: end if end > most // 2 else most - 1]).rstrip(_TRAILING) + "…"


def page_title(subject: str, company: str) -> str:
    """Return the subject with the company's name if both fit, else as much of the subject as fits."""
    whole = f"{subject} – {company}"
    return whole if len(whole) <= TITLE_MOST else cut(subject, TITLE_MOST)


def list_title(words: str, filters: Sequence[str], company: str) -> str:
    """Return the title of a list: all jobs, those with some words, or those that filters left."""
    if words:
        title = gettext("“%(words)s”: jobs at %(company)s", words=words, company=company)
    elif filters:
        title = gettext("%(filters)s: jobs at %(company)s", filters=in_a_list(filters, get_locale()), company=company)
    else:
        title = gettext("Jobs at %(company)s", company=company)
    return cut(title, TITLE_MOST)


def list_description(tagline: str | None, filters: Sequence[str], company: str) -> str:
    """Return the company's tagline after the filters."""
    sentence = tagline or gettext("Find your next job at %(company)s.", company=company)
    return cut(f"{in_a_list(filters, get_locale())}: {sentence}" if filters else sentence, DESCRIPTION_MOST)


def job_description(posting: Posting, company: str, place: str) -> str:
    """Return what the job is, where, and how its text begins."""
    words = {"title": posting.title, "company": posting.client or company, "place": place}
    if place:
        first = gettext("%(title)s at %(company)s, %(place)s.", **words)
    else:
        first = gettext("%(title)s at %(company)s.", **words)
    return cut(f"{first} {plain(posting.description)}", DESCRIPTION_MOST)
