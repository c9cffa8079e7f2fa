"""Undo a change of email addresses, by the link that was sent to a former address. The link signs nobody in.

Opening the page changes nothing, because mail scanners open links; the button does. The link is proof enough: whoever
has it reads the former mailbox, and all it does is restore what was there before.
"""

from flask import Blueprint, Response, make_response, render_template, request

from portal.delivery.record_changes import undo
from portal.delivery.record_changes.undo import UndoOutcome
from portal.services import Services
from portal.site.account.guard import expect_small_form
from portal.site.assembly import here
from portal.site.forms import rate_limits
from portal.site.routing.access import private
from portal.site.routing.tenant import for_tenant
from portal.site.words.locale import language
from portal.tenants.model import Tenant

_LONGEST = 100
"""Characters; a token has 43."""
_STATUS = {UndoOutcome.OPEN: 200, UndoOutcome.UNDONE: 200, UndoOutcome.OVER: 410, UndoOutcome.UNKNOWN: 404}


def add_to(pages: Blueprint, services: Services) -> None:
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
        pause = rate_limits.trying(services.throttle, remote_address=request.remote_addr)
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


def _page(services: Services, tenant: Tenant, *, pause: int | None = None) -> Response:
    key = _key()
    outcome, row = undo.look(services.database, services.seal, tenant.slug, key, services.clock.now())
    site = here(services, tenant)
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
