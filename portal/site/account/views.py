"""The routes of self-service."""

from flask import Blueprint, Response, make_response, render_template, request
from flask.typing import ResponseReturnValue

from portal.delivery.record_changes import undo
from portal.delivery.record_changes.kind import CHANGE
from portal.delivery.record_changes.undo import UndoOutcome
from portal.people.signin.sessions import Session
from portal.site.account import applications, own_data, record_choice, signing_in
from portal.site.account.editing import Editing, pause
from portal.site.account.guard import (
    AccountServices,
    expect_small_form,
    own_page,
    say_who_is_signed_in,
    session_of,
    signed_in,
)
from portal.site.assembly import links_of
from portal.site.forms.rate_limits import PostLimit, hit_post_limits
from portal.site.forms.refusals import with_refusals
from portal.site.routing.access import private, with_cv_field, with_file
from portal.site.routing.tenant import for_tenant
from portal.site.words.locale import language
from portal.tenants.model import Tenant

_LONGEST = 100
"""Characters; a token has 43."""
_STATUS = {UndoOutcome.OPEN: 200, UndoOutcome.UNDONE: 200, UndoOutcome.OVER: 410, UndoOutcome.UNKNOWN: 404}


def add_routes(pages: Blueprint, services: AccountServices) -> None:
    """Add GET, POST /{slug}/profile/undo?key=…"""

    @pages.get("/<slug>/profile/undo")
    @private
    @for_tenant(services.tenants)
    def ask_undo(tenant: Tenant) -> Response:
        return _page(services, tenant)

    @pages.post("/<slug>/profile/undo")
    @private
    @for_tenant(services.tenants)
    def undo_it(tenant: Tenant) -> Response:
        expect_small_form(request)
        pause = hit_post_limits(services.throttle, PostLimit.CODE, request.remote_addr)
        if pause is not None:
            response = _page(services, tenant, pause=pause)
            response.headers["Retry-After"] = str(pause)
            return response
        key = _key()
        if key:
            undo.undo(
                services.database,
                services.seal,
                tenant=tenant,
                token=key,
                locale=language(tenant),
                clock=services.clock,
            )
        return _page(services, tenant)


def _page(services: AccountServices, tenant: Tenant, *, pause: int | None = None) -> Response:
    key = _key()
    outcome, row = undo.find(services.database, services.seal, tenant.slug, key, services.clock.now())
    site = links_of(tenant, base_url=services.base_url)
    page = render_template(
        "account/undo.html",
        outcome=outcome.name.lower(),
        row=row,
        key=key,
        minutes=-(-pause // 60) if pause else 0,
        in_language=lambda tag: site.in_language(tag).undo(key),
    )
    return make_response(page, 429 if pause else _STATUS[outcome])


def _key() -> str:
    given = request.form.get("key") or request.args.get("key", "")
    return given if len(given) <= _LONGEST else ""


def blueprint(services: AccountServices) -> Blueprint:
    """Return the blueprint of everything below /{slug}/profile."""
    pages = Blueprint("profile", __name__)
    say_who_is_signed_in(pages)
    signing_in.add_routes(pages, services)
    record_choice.add_routes(pages, services)
    applications.add_routes(pages, services)
    own_data.add_routes(pages, services)
    add_routes(pages, services)

    @pages.get("/<slug>/profile/edit")
    @with_cv_field
    @own_page(services)
    def edit(tenant: Tenant, session: Session) -> Response:
        return Editing(services, tenant, session).open(again=request.args.get("again", ""))

    @pages.post("/<slug>/profile/edit")
    @private
    @with_cv_field
    @with_file
    @for_tenant(services.tenants)
    def send(tenant: Tenant) -> ResponseReturnValue:
        # Count the post before anything is read, including the session.
        seconds = hit_post_limits(services.throttle, PostLimit.PROFILE, request.remote_addr)
        if seconds is not None:
            return pause(services, tenant, request, seconds)
        if session_of(services, tenant, request) is None:
            return signing_in.request_sign_in_again(services, tenant, request)
        return send_one(tenant)

    @signed_in(services)
    def send_one(tenant: Tenant, session: Session) -> Response:
        return with_refusals(tenant, CHANGE.name, lambda: Editing(services, tenant, session).post(request))

    return pages
