"""Who a route is for. Every route carries one of these marks; a test fails on one that forgot."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from flask import Flask
from flask.typing import RouteCallable

from portal.web.operation import Operation

View = TypeVar("View", bound=Callable[..., Any])


class Access(StrEnum):
    """What a mark promises; headers.py turns it into cache headers."""

    PUBLIC = "public"
    """Anyone, the same for everyone: may be cached by anyone, sets no cookie."""
    FORM = "form"
    """Anyone, but its own for each visit: never shared, and not kept once something was typed."""
    PRIVATE = "private"
    """One person's: never stored, never framed."""
    OPERATIONS = "operations"
    """Programs that run the portal."""


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
    """Mark a route that the tenant's embed.origins may show in a frame; every other page refuses frames."""
    setattr(view, "framable", True)  # noqa: B010  a function carries its marks; wraps() hands them on
    return view


def framable_anywhere(view: View) -> View:
    """Mark a route that any site may show in a frame: it says one thing, and there is nothing to press."""
    setattr(view, "framable_anywhere", True)  # noqa: B010  a function carries its marks; wraps() hands them on
    return view


def for_programs(operation: Operation) -> Callable[[View], View]:
    """Mark a route that answers data: it is described by `operation` in /openapi.json, refusals are problems
    (RFC 9457), and scripts of embed.origins may read it.
    """

    def mark(view: View) -> View:
        setattr(view, "operation", operation)  # noqa: B010  a function carries its marks; wraps() hands them on
        return view

    return mark


def operation_of(view: RouteCallable | None) -> Operation | None:
    """What the view says of itself, if it is marked for_programs."""
    return getattr(view, "operation", None)


def for_scripts(view: View) -> View:
    """Mark a route that answers data to scripts of our own pages alone: its refusals are problems (RFC 9457)."""
    setattr(view, "for_scripts", True)  # noqa: B010  a function carries its marks; wraps() hands them on
    return view


def answers_problems(view: RouteCallable | None) -> bool:
    """Whether the view is marked for_programs or for_scripts."""
    return operation_of(view) is not None or bool(getattr(view, "for_scripts", False))


def with_cv_field(view: View) -> View:
    """Mark a route whose page has the field of a CV: its script may send the file straight to the store."""
    setattr(view, "with_cv_field", True)  # noqa: B010  a function carries its marks; wraps() hands them on
    return view


def has_cv_field(view: RouteCallable) -> bool:
    """Whether the view is marked with_cv_field."""
    return bool(getattr(view, "with_cv_field", False))


def with_file(view: View) -> View:
    """Mark a route whose form may carry a CV; the body of any other may be as long as its words."""
    setattr(view, "with_file", True)  # noqa: B010  a function carries its marks; wraps() hands them on
    return view


def takes_file(view: RouteCallable) -> bool:
    """Whether the view is marked with_file."""
    return bool(getattr(view, "with_file", False))


def access_of(view: RouteCallable) -> Access | None:
    """The mark of a view, None if it has none."""
    return getattr(view, "access", None)


def may_be_framed(view: RouteCallable) -> bool:
    """Whether the view is marked framable."""
    return bool(getattr(view, "framable", False))


def may_be_framed_anywhere(view: RouteCallable) -> bool:
    """Whether the view is marked framable_anywhere."""
    return bool(getattr(view, "framable_anywhere", False))


def unmarked(app: Flask) -> list[str]:
    """Endpoints that carry no mark."""
    return sorted(endpoint for endpoint, view in app.view_functions.items() if access_of(view) is None)


def _mark(view: View, access: Access) -> View:
    setattr(view, "access", access)  # noqa: B010  a function carries its marks; wraps() hands them on
    return view
