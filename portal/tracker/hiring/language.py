"""The language of a hiring page: the one that its colleague chose, or the browser's, or English."""

from babel import Locale
from flask import g, has_request_context, request
from flask_babel import get_locale

from portal.site.words.locale import DEFAULT
from portal.tenants.languages import COMPLETE


def select() -> str:
    """Return the language as Babel writes it; for Flask-Babel."""
    if not has_request_context():
        return DEFAULT
    visit = g.get("hiring_visit")
    chosen = visit.colleague.locale if visit else None
    return chosen or request.accept_languages.best_match(COMPLETE) or DEFAULT


def page_language() -> str:
    """Return the language of the current page."""
    return str((get_locale() or Locale(DEFAULT)).language)
