"""The one address that speaks the browser's language: the loader, which is one line in pages of others for years.

What differs by a header is marked before the front, like the host (hosts.py), so that each language is kept by itself.
"""

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from portal.front.kept import SITE
from portal.tenants.languages import COMPLETE

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

LOADER = "/embed.js"
_LONGEST = 200
"""Characters of Accept-Language that are read; no browser sends half as many."""


def mark(environ: "WSGIEnvironment") -> None:
    """Tell the front which of the loaders is asked for."""
    if environ.get("PATH_INFO") == LOADER:
        environ[SITE] = f"{environ.get(SITE)} in {language_of(environ)}"


def language_of(environ: "WSGIEnvironment") -> str:
    """One of COMPLETE: what the address says (`?lang=de`), else what the browser asks for, else English."""
    said: str = parse_qs(environ.get("QUERY_STRING", "")[:_LONGEST]).get("lang", [""])[0].partition("-")[0]
    if said in COMPLETE:
        return said
    accepted = parse_accept_header(environ.get("HTTP_ACCEPT_LANGUAGE", "")[:_LONGEST], LanguageAccept)
    return str(accepted.best_match(COMPLETE, default=COMPLETE[0]))
