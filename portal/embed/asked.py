"""What jobs.json is asked for beside the list's own query, and what of it means nothing."""

from flask_babel import gettext
from werkzeug.datastructures import MultiDict

from portal.embed.shapes import Notice
from portal.vacancies import cursor
from portal.vacancies.posting import Query, Sort
from portal.vacancies.question import NEAR_KM
from portal.web.query import DISTANCES

MOST = 100
"""Jobs on one page of the list."""
_SAID_MOST = 100
"""Characters of a value that are said again."""


def size(args: MultiDict[str, str]) -> int:
    """Jobs that a page is to have; what is wrong is ignored."""
    limit = args.get("limit", "")
    return int(limit) if _is_size(limit) else Query().size


def left_out(args: MultiDict[str, str], query: Query) -> tuple[Notice, ...]:
    """What no page would ask for, and a program may: a number or a place in the list that there is none of."""
    limit, within, after = (args.get(name, "")[:_SAID_MOST] for name in ("limit", "within", "after"))
    found = []
    if limit and not _is_size(limit):
        said = gettext(
            "A page has 1 to %(most)s jobs, so “%(value)s” does not count, and this one has up to %(usual)s.",
            most=MOST,
            value=limit,
            usual=Query().size,
        )
        found.append(Notice(about="limit", value=limit, says=said))
    if within and query.near and query.within_km is None:
        said = gettext(
            "The distances are %(distances)s km, so “%(value)s” does not count, "
            "and these jobs are within %(usual)s km.",
            distances=", ".join(map(str, DISTANCES)),
            value=within,
            usual=NEAR_KM,
        )
        found.append(Notice(about="within", value=within, says=said))
    if after and not any(cursor.read(sort, query.after) for sort in Sort):
        said = gettext("No page of this list begins at “%(value)s”, so this is the first one.", value=after)
        found.append(Notice(about="after", value=after, says=said))
    return tuple(found)


def _is_size(limit: str) -> bool:
    return limit.isascii() and limit.isdecimal() and len(limit) <= 3 and 1 <= int(limit) <= MOST
