"""Access markers: each route has one, which states its permitted users; a test fails for a route without one."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from flask.typing import RouteCallable

from portal.contract.openapi import ApiOperation

View = TypeVar("View", bound=Callable[..., Any])


class Access(StrEnum):
    """The access of a route; headers.py derives cache headers from it."""

    PUBLIC = "public"
    """For anyone, and the same for everyone: any cache may store it, and it sets no cookie."""
    FORM = "form"
    """For anyone, but different for each visit: never shared, and not stored once something was typed."""
    PRIVATE = "private"
    """For one person: never stored, never framed."""
    OPERATIONS = "operations"
    """For programs that operate the portal."""


class Origins(StrEnum):
    """The origins from which a browser may send an unsafe request; a program sends no origin and is always allowed."""

    OWN = "own"
    """The portal's own only. The default."""
    OWN_SAID_BY_VIEW = "own-said-by-view"
    """The same, but the view answers 403 itself, with everything that was typed: see origin.is_from_elsewhere()."""
    LISTED = "listed"
    """The portal's own and the tenant's embed.origins."""
    ANY = "any"
    """Any origin: an unguessable address is sufficient, as RFC 8058 requires for one-click unsubscription."""


def _marker(name: str, value: object = True) -> Callable[[View], View]:  # noqa: FBT002  the value of a plain marker
    """Return a decorator that marks a route. A view carries its markers; wraps() passes them on."""

    def mark(view: View) -> View:
        setattr(view, name, value)
        return view

    return mark


public = _marker("access", Access.PUBLIC)
form = _marker("access", Access.FORM)
private = _marker("access", Access.PRIVATE)
operations = _marker("access", Access.OPERATIONS)
framable = _marker("framable")
"""Marks a route that the sites of the tenant's embed.origins may frame; every other page refuses frames."""
framable_anywhere = _marker("framable_anywhere")
"""Marks a route that any site may frame: it shows one message and no controls."""
for_scripts = _marker("for_scripts")
"""Marks a route that only scripts of the portal's pages use: its errors are problem details (RFC 9457)."""
with_cv_field = _marker("with_cv_field")
"""Marks a route whose page has a CV field: its script may send the file directly to the file storage."""
with_file = _marker("with_file")
"""Marks a route whose form may carry a CV; the body of any other route is limited to the length of text."""


def for_programs(operation: ApiOperation) -> Callable[[View], View]:
    """Mark a route of the public API: /openapi.json describes it by `operation`, errors are problem details (RFC 9457),
    and scripts of embed.origins may read it.
    """
    return _marker("operation", operation)


def from_origins(origins: Origins) -> Callable[[View], View]:
    """Mark a route that accepts posts from other origins than the portal's own."""
    return _marker("origins", origins)


def is_marked(view: RouteCallable | None, name: str) -> bool:
    """Return whether the view has the marker of that name: framable, framable_anywhere, with_cv_field or with_file."""
    return getattr(view, name, False) is True


def access_of(view: RouteCallable | None) -> Access | None:
    """Return the access of a view, None without a marker."""
    return getattr(view, "access", None)


def operation_of(view: RouteCallable | None) -> ApiOperation | None:
    """Return the view's description, None unless it is marked for_programs."""
    return getattr(view, "operation", None)


def origins_of(view: RouteCallable | None) -> Origins:
    """Return the origins from which the view accepts posts."""
    found: Origins = getattr(view, "origins", Origins.OWN)
    return found


def answers_problems(view: RouteCallable | None) -> bool:
    """Return whether the view is marked for_programs or for_scripts."""
    return operation_of(view) is not None or is_marked(view, "for_scripts")
