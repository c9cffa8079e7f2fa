"""Every address of this slice."""

from functools import partial

from flask import Blueprint

from portal.parts import Parts
from portal.reach import boards, feeds
from portal.reach.sending import Sending
from portal.vacancies import version
from portal.web.page_cache import PageCache


def blueprint(parts: Parts) -> Blueprint:
    """Feeds, and shapes that other programs know."""
    pages = Blueprint("reach", __name__)
    sending = Sending(parts, PageCache(parts.clock, partial(version.current, parts.database)))
    feeds.add_to(pages, parts, sending)
    boards.add_to(pages, parts, sending)
    return pages
