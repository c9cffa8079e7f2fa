"""The form, and what the letters lead to. Opening a page changes nothing: mail programs look at links before people do.

The pages of an alert are opened by the key of its letters, and by nothing else: there is no cookie, so that a mail
provider's one POST ends an alert (RFC 8058).
"""

from dataclasses import replace
from urllib.parse import parse_qsl

from flask import Blueprint, Response, abort, make_response, render_template, request
from flask_babel import get_locale, gettext, ngettext

from portal.alerts import subscribing
from portal.alerts.mornings import Every
from portal.alerts.subscribing import Alert, Outcome, Search
from portal.parts import Parts
from portal.signing import new_form_id
from portal.subscribe import limits, saying
from portal.tenants.model import Tenant
from portal.vacancies import search
from portal.vacancies.posting import Results
from portal.web.access import form, private
from portal.web.assembly import here
from portal.web.fields import email_address, text, words
from portal.web.fields.refusal import Refused
from portal.web.locale import language
from portal.web.tenant import for_tenant

_SMALL = 16_384
"""Bytes that these forms may have."""
_PURPOSE = ("alert", "")


def blueprint(parts: Parts) -> Blueprint:
    """GET, POST /{slug}/alerts, GET /{slug}/alerts/asked; GET /{slug}/alerts/{alert}, and its keep and end."""
    pages = Blueprint("subscribe", __name__)
    _asking(pages, parts)
    _deciding(pages, parts)
    return pages


def _asking(pages: Blueprint, parts: Parts) -> None:
    @pages.get("/<slug>/alerts")
    @form
    @for_tenant(parts.tenants)
    def ask(tenant: Tenant) -> Response:
        return _ask_page(parts, tenant, str(request.query_string, "ascii", "replace"), 200)

    @pages.post("/<slug>/alerts")
    @form
    @for_tenant(parts.tenants)
    def asked(tenant: Tenant) -> Response:
        request.max_content_length = _SMALL
        address, typed = request.form.get("search", ""), request.form.get("email", "")
        pause = limits.asking(parts.throttle, tenant=tenant.slug, remote_address=request.remote_addr)
        if pause is not None:
            response = _ask_page(parts, tenant, address, 429, typed=typed, notice=_too_often(pause))
            response.headers["Retry-After"] = str(pause)
            return response
        token = parts.signer.read(
            request.form.get("token", ""), tenant=tenant.slug, purpose=_PURPOSE, now=parts.clock.now()
        )
        if token is None or token.expired:
            return _ask_page(parts, tenant, address, 422, typed=typed, notice=_again())
        try:
            email = email_address.parse(typed)
        except Refused as why:
            missing = gettext("Enter your e-mail address.")
            return _ask_page(parts, tenant, address, 422, typed=typed, error=words.refused(why, missing=missing))
        wanted, results = _search(parts, tenant, address)
        if results.near_unknown:
            return _ask_page(parts, tenant, address, 422, typed=typed)
        subscribing.ask(
            parts.database,
            parts.seal,
            tenant=tenant,
            email=email,
            search=wanted,
            every=_every(request.form.get("every", "")),
            locale=language(tenant),
            network=limits.network(request.remote_addr),
            now=parts.clock.now(),
        )
        return Response(status=303, headers={"Location": here(parts, tenant).at("/alerts/asked")})

    @pages.get("/<slug>/alerts/asked")
    @form
    @for_tenant(parts.tenants)
    def look(tenant: Tenant) -> Response:  # noqa: ARG001  the template knows it
        return make_response(render_template("subscribe/asked.html", days=subscribing.CONFIRM_WITHIN.days))


def _deciding(pages: Blueprint, parts: Parts) -> None:
    @pages.get("/<slug>/alerts/<alert>")
    @private
    @for_tenant(parts.tenants)
    def one(tenant: Tenant, alert: str) -> Response:
        found = _found(parts, tenant, alert)
        return _alert_page(parts, tenant, found) if found else _over_page()

    @pages.post("/<slug>/alerts/<alert>/keep")
    @private
    @for_tenant(parts.tenants)
    def keep(tenant: Tenant, alert: str) -> Response:
        request.max_content_length = _SMALL
        found = _found(parts, tenant, alert)
        every, now = _every(request.form.get("every", "")), parts.clock.now()
        if found is None:
            return _over_page()
        outcome = subscribing.keep(parts.database, parts.seal, tenant=tenant, alert=found, every=every, now=now)
        if outcome is Outcome.TOO_MANY:
            return _alert_page(parts, tenant, found, notice=_too_many(), status=409)
        return _see(parts, tenant, alert)

    @pages.get("/<slug>/alerts/<alert>/end")
    @private
    @for_tenant(parts.tenants)
    def ending(tenant: Tenant, alert: str) -> Response:
        found = _found(parts, tenant, alert)
        return _alert_page(parts, tenant, found, wants_end=True) if found else _over_page()

    @pages.post("/<slug>/alerts/<alert>/end")
    @private
    @for_tenant(parts.tenants)
    def end(tenant: Tenant, alert: str) -> Response:
        request.max_content_length = _SMALL
        _found(parts, tenant, alert)
        subscribing.end(parts.database, tenant=tenant.slug, alert=alert, now=parts.clock.now())
        return _over_page()


def _found(parts: Parts, tenant: Tenant, alert: str) -> Alert | None:
    """The alert; None once it has ended; 404 without the key of its letters."""
    if not subscribing.is_key(parts.seal, tenant.slug, alert, request.args.get("key", "")):
        abort(404)
    return subscribing.find(parts.database, parts.seal, tenant=tenant.slug, alert=alert)


def _search(parts: Parts, tenant: Tenant, address: str) -> tuple[Search, Results]:
    asked = saying.read(address)
    results = search.find(parts.database, tenant, replace(asked, size=1), parts.clock.now())
    return saying.search_of(asked, results, get_locale()), results


def _ask_page(
    parts: Parts, tenant: Tenant, address: str, status: int, *, typed: str = "", error: str = "", notice: str = ""
) -> Response:
    wanted, results = _search(parts, tenant, address)
    site = here(parts, tenant)
    page = render_template(
        "subscribe/ask.html",
        wanted=wanted,
        results=results,
        in_language=lambda tag: site.in_language(tag).alerts(parse_qsl(wanted.address)),
        every=_every(request.form.get("every", "")),
        typed=text.displayable(typed),
        error=error,
        notice=notice,
        token=parts.signer.sign(tenant=tenant.slug, purpose=_PURPOSE, form_id=new_form_id(), now=parts.clock.now()),
    )
    return make_response(page, status)


def _alert_page(
    parts: Parts, tenant: Tenant, alert: Alert, *, notice: str = "", status: int = 200, wants_end: bool = False
) -> Response:
    given, key = request.args.get("every", ""), request.args.get("key", "")
    site = here(parts, tenant)
    page = render_template(
        "subscribe/alert.html",
        alert=alert,
        key=key,
        in_language=lambda tag: site.in_language(tag).alert(alert.id, key),
        every=Every(given) if given in set(Every) else alert.every,
        wants_end=wants_end,
        gone=_search(parts, tenant, alert.search.address)[1].ignored,
        notice=notice,
    )
    return make_response(page, status)


def _over_page() -> Response:
    return make_response(render_template("subscribe/over.html"))


def _see(parts: Parts, tenant: Tenant, alert: str) -> Response:
    return Response(status=303, headers={"Location": here(parts, tenant).alert(alert, request.args.get("key", ""))})


def _every(given: str) -> Every:
    return Every(given) if given in set(Every) else Every.WEEK


def _again() -> str:
    return str(gettext("This page was open for too long, so nothing was sent. Please send it again."))


def _too_many() -> str:
    return str(
        ngettext(
            "You have %(num)s alert here, which is as many as one address can have. End one by the link in its mails, "
            "and press the button again.",
            "You have %(num)s alerts here, which is as many as one address can have. End one by the link in its mails, "
            "and press the button again.",
            subscribing.AT_MOST,
        )
    )


def _too_often(seconds: int) -> str:
    return str(
        ngettext(
            "Too many alerts were asked for from your network. Please try again in %(num)s minute.",
            "Too many alerts were asked for from your network. Please try again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )
