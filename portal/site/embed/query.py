"""Parameters of jobs.json beside the list's own, and notices about those that mean nothing."""

from flask_babel import gettext
from werkzeug.datastructures import MultiDict

from portal.jobs.posting import Query, Sort
from portal.jobs.search import cursor
from portal.jobs.search.database_query import NEAR_KM
from portal.site.embed.shapes import Notice
from portal.site.words.query import DISTANCES

MOST = 100
"""Jobs on one page of the list."""
_SAID_MOST = 100
"""Characters of a value that a notice repeats."""


def size(args: MultiDict[str, str]) -> int:
    """Return the number of jobs on a page; an invalid limit is ignored."""
    limit = args.get("limit", "")
    return int(limit) if _is_size(limit) else Query().size


def left_out(args: MultiDict[str, str], query: Query) -> tuple[Notice, ...]:
    """Return notices about invalid values that only programs send: of page size, distance or position in the list."""
    limit, within, after = (args.get(name, "")[:_SAID_MOST] for name in ("limit", "within", "after"))
    found = []
    if limit and not _is_size(limit):
        said = gettext(
            "A page can have 1 to %(most)s jobs. “%(value)s” was ignored, and this page has up to %(usual)s.",
            most=MOST,
            value=limit,
            usual=Query().size,
        )
        found.append(Notice(about="limit", value=limit, says=said))
    if within and query.near and query.within_km is None:
        said = gettext(
            "The distance must be one of %(distances)s km. “%(value)s” was ignored, and these jobs are within "
            "%(usual)s km.",
            distances=", ".join(map(str, DISTANCES)),
            value=within,
            usual=NEAR_KM,
        )
        found.append(Notice(about="within", value=within, says=said))
    if after and not any(cursor.read(sort, query.after) for sort in Sort):
        said = gettext("No page of this list starts at “%(value)s”, so this is the first page.", value=after)
        found.append(Notice(about="after", value=after, says=said))
    return tuple(found)


def _is_size(limit: str) -> bool:
    return limit.isascii() and limit.isdecimal() and len(limit) <= 3 and 1 <= int(limit) <= MOST
