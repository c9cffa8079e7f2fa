"""What a page says of itself where others list it: a title and a description that are not cut within a word."""

from collections.abc import Sequence

from flask_babel import gettext

from portal.vacancies.description import plain
from portal.vacancies.posting import Posting

TITLE_MOST = 60
DESCRIPTION_MOST = 155
"""Characters that search engines show of each on a desktop."""
_TRAILING = " ,;:.–-—·(/"


def cut(text: str, most: int) -> str:
    """The text in one line, ended between words and with "…" where it is longer than `most` characters."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    kept = text[:most]  # of which one character is for the sign
    end = kept.rfind(" ")
    return (kept[: end if end > most // 2 else most - 1]).rstrip(_TRAILING) + "…"


def page_title(subject: str, company: str) -> str:
    """The subject with the company's name where both fit, else as much of the subject as does."""
    whole = f"{subject} – {company}"
    return whole if len(whole) <= TITLE_MOST else cut(subject, TITLE_MOST)


def list_title(words: str, filters: Sequence[str], company: str) -> str:
    """What a list is of: all jobs, those with some words, or those that filters left."""
    if words:
        title = gettext("“%(words)s”: jobs at %(company)s", words=words, company=company)
    elif filters:
        title = gettext("%(filters)s: jobs at %(company)s", filters=", ".join(filters), company=company)
    else:
        title = gettext("Jobs at %(company)s", company=company)
    return cut(title, TITLE_MOST)


def list_description(tagline: str | None, filters: Sequence[str], company: str) -> str:
    """The company's own words, after what filters left."""
    said = tagline or gettext("Find your next job at %(company)s.", company=company)
    return cut(f"{', '.join(filters)}: {said}" if filters else said, DESCRIPTION_MOST)


def job_description(posting: Posting, company: str, place: str) -> str:
    """What the job is, where, and how its text begins."""
    words = {"title": posting.title, "company": posting.client or company, "place": place}
    if place:
        first = gettext("%(title)s at %(company)s, %(place)s.", **words)
    else:
        first = gettext("%(title)s at %(company)s.", **words)
    return cut(f"{first} {plain(posting.description)}", DESCRIPTION_MOST)
