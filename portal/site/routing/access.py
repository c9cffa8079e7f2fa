"""Access markers: each route has one, which says who may use it; a test fails for a route without one."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from flask import Flask
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


def public(view: View) -> View:
    """Mark a route as PUBLIC."""
    return _mark(view, Access.PUBLIC)


def form(view: View) -> View:
    """Mark a route as FORM."""
    return _mark(view, Access.FORM)


def private(view: View) -> View:
    """Mark a route as PRIVATE."""
    return _mark(view, Access.PRIVATE)


def operations(view: View) -> View:
    """Mark a route as OPERATIONS."""
    return _mark(view, Access.OPERATIONS)


def framable(view: View) -> View:
    """Mark a route that the sites of the tenant's embed.origins may frame; every other page refuses frames."""
    setattr(view, "framable", True)  # noqa: B010  a function carries its markers; wraps() passes them on
    return view


def framable_anywhere(view: View) -> View:
    """Mark a route that any site may frame: it shows one message and no controls."""
    setattr(view, "framable_anywhere", True)  # noqa: B010  a function carries its markers; wraps() passes them on
    return view


def for_programs(operation: ApiOperation) -> Callable[[View], View]:
    """Mark a route of the public API: /openapi.json describes it by `operation`, errors are problem details (RFC 9457),
    and scripts of embed.origins may read it.
    """

    def mark(view: View) -> View:
        setattr(view, "operation", operation)  # noqa: B010  a function carries its markers; wraps() passes them on
        return view

    return mark


def operation_of(view: RouteCallable | None) -> ApiOperation | None:
    """Return the view's description, None unless it is marked for_programs."""
    return getattr(view, "operation", None)


def for_scripts(view: View) -> View:
    """Mark a route that only scripts of the portal's pages use: its errors are problem details (RFC 9457)."""
    setattr(view, "for_scripts", True)  # noqa: B010  a function carries its markers; wraps() passes them on
    return view


def answers_problems(view: RouteCallable | None) -> bool:
    """Return whether the view is marked for_programs or for_scripts."""
    return operation_of(view) is not None or bool(getattr(view, "for_scripts", False))


def with_cv_field(view: View) -> View:
    """Mark a route whose page has a CV field: its script may send the file directly to the file storage."""
    setattr(view, "with_cv_field", True)  # noqa: B010  a function carries its markers; wraps() passes them on
    return view


def has_cv_field(view: RouteCallable) -> bool:
    """Return whether the view is marked with_cv_field."""
    return bool(getattr(view, "with_cv_field", False))


def with_file(view: View) -> View:
    """Mark a route whose form may carry a CV; the body of any other route is limited to the length of text."""
    setattr(view, "with_file", True)  # noqa: B010  a function carries its markers; wraps() passes them on
    return view


def takes_file(view: RouteCallable) -> bool:
    """Return whether the view is marked with_file."""
    return bool(getattr(view, "with_file", False))


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


def from_origins(origins: Origins) -> Callable[[View], View]:
    """Mark a route that accepts posts from other origins than the portal's own."""

    def mark(view: View) -> View:
        setattr(view, "origins", origins)  # noqa: B010  a function carries its markers; wraps() passes them on
        return view

    return mark


def origins_of(view: RouteCallable | None) -> Origins:
    """Return the origins from which the view accepts posts."""
    found: Origins = getattr(view, "origins", Origins.OWN)
    return found


def access_of(view: RouteCallable) -> Access | None:
    """Return the access of a view, None without a marker."""
    return getattr(view, "access", None)


def may_be_framed(view: RouteCallable) -> bool:
    """Return whether the view is marked framable."""
    return bool(getattr(view, "framable", False))


def may_be_framed_anywhere(view: RouteCallable) -> bool:
    """Return whether the view is marked framable_anywhere."""
    return bool(getattr(view, "framable_anywhere", False))


def unmarked(app: Flask) -> list[str]:
    """Return the endpoints without an access marker."""
    return sorted(endpoint for endpoint, view in app.view_functions.items() if access_of(view) is None)


def _mark(view: View, access: Access) -> View:
    setattr(view, "access", access)  # noqa: B010  a function carries its markers; wraps() passes them on
    return view
