"""The form to request an alert, and the pages that its emails link to.

Opening a page changes nothing, because mail programs open links before people do. Access to the pages of an alert
requires the key in its emails, and no cookie, so that a mail provider's one-click POST can end an alert (RFC 8058).
"""

from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

from babel import Locale
from flask import Blueprint, Response, abort, make_response, render_template, request
from flask_babel import get_locale, gettext, ngettext
from werkzeug.datastructures import MultiDict

from portal.jobs.alerts import subscribing
from portal.jobs.alerts.subscribing import Alert, AlertFrequency, AlertSearch, SubscribeOutcome
from portal.jobs.posting import Query, Results
from portal.jobs.search import search
from portal.platform.crypto.signing import new_form_id
from portal.platform.rate_limits import wide_network_of
from portal.site.assembly import links_of
from portal.site.forms.fields import email_address, refusal, text
from portal.site.forms.fields.refusal import Refused
from portal.site.forms.rate_limits import hit_alert_request_limits
from portal.site.forms.services import FormServices
from portal.site.routing.access import Origins, form, from_origins, private
from portal.site.routing.tenant import for_tenant
from portal.site.words.locale import language
from portal.site.words.query import in_effect, parameters, parse
from portal.site.words.search_summary import in_words, of_filters
from portal.tenants.model import Tenant

_SMALL = 16_384
"""Bytes that the body of these forms may have."""
_PURPOSE = ("alert", "")


def blueprint(services: FormServices) -> Blueprint:
    """Return the blueprint: GET, POST /{slug}/alerts, GET /{slug}/alerts/asked; /{slug}/alerts/{alert}, its keep and
    end.
    """
    pages = Blueprint("subscribe", __name__)
    _request_pages(pages, services)
    _deciding(pages, services)
    return pages


def _request_pages(pages: Blueprint, services: FormServices) -> None:
    @pages.get("/<slug>/alerts")
    @form
    @for_tenant(services.tenants)
    def ask(tenant: Tenant) -> Response:
        return _ask_page(services, tenant, str(request.query_string, "ascii", "replace"), 200)

    @pages.post("/<slug>/alerts")
    @form
    @for_tenant(services.tenants)
    def asked(tenant: Tenant) -> Response:
        request.max_content_length = _SMALL
        address, typed = request.form.get("search", ""), request.form.get("email", "")
        pause = hit_alert_request_limits(services.throttle, tenant=tenant.slug, remote_address=request.remote_addr)
        if pause is not None:
            response = _ask_page(services, tenant, address, 429, typed=typed, notice=_too_often(pause))
            response.headers["Retry-After"] = str(pause)
            return response
        token = services.signer.read(
            request.form.get("token", ""), tenant=tenant.slug, purpose=_PURPOSE, now=services.clock.now()
        )
        if token is None or token.expired:
            return _ask_page(services, tenant, address, 422, typed=typed, notice=_again())
        try:
            email = email_address.parse(typed)
        except Refused as why:
            missing = gettext("Enter your email address.")
            return _ask_page(services, tenant, address, 422, typed=typed, error=refusal.refused(why, missing=missing))
        wanted, results = _search(services, tenant, address)
        if results.near_unknown:
            return _ask_page(services, tenant, address, 422, typed=typed)
        subscribing.request_alert(
            services.database,
            services.seal,
            tenant=tenant,
            email=email,
            search=wanted,
            every=_every(request.form.get("every", "")),
            locale=language(tenant),
            network=wide_network_of(request.remote_addr),
            now=services.clock.now(),
        )
        site = links_of(tenant, base_url=services.base_url)
        return Response(status=303, headers={"Location": site.at("/alerts/asked")})

    @pages.get("/<slug>/alerts/asked")
    @form
    @for_tenant(services.tenants)
    def look(tenant: Tenant) -> Response:  # noqa: ARG001  the template reads it from the request context
        return make_response(render_template("alerts/asked.html", days=subscribing.CONFIRM_WITHIN.days))


def _deciding(pages: Blueprint, services: FormServices) -> None:
    @pages.get("/<slug>/alerts/<alert>")
    @private
    @for_tenant(services.tenants)
    def one(tenant: Tenant, alert: str) -> Response:
        found = _found(services, tenant, alert)
        return _alert_page(services, tenant, found) if found else _over_page()

    @pages.post("/<slug>/alerts/<alert>/keep")
    @private
    @for_tenant(services.tenants)
    def keep(tenant: Tenant, alert: str) -> Response:
        request.max_content_length = _SMALL
        found = _found(services, tenant, alert)
        every, now = _every(request.form.get("every", "")), services.clock.now()
        if found is None:
            return _over_page()
        outcome = subscribing.confirm_or_renew(
            services.database, services.seal, tenant=tenant, alert=found, every=every, now=now
        )
        if outcome is SubscribeOutcome.TOO_MANY:
            return _alert_page(services, tenant, found, notice=_too_many(), status=409)
        return _see(services, tenant, alert)

    @pages.get("/<slug>/alerts/<alert>/end")
    @private
    @for_tenant(services.tenants)
    def ending(tenant: Tenant, alert: str) -> Response:
        found = _found(services, tenant, alert)
        return _alert_page(services, tenant, found, ending=True) if found else _over_page()

    @pages.post("/<slug>/alerts/<alert>/end")
    @private
    @from_origins(Origins.ANY)
    @for_tenant(services.tenants)
    def end(tenant: Tenant, alert: str) -> Response:
        request.max_content_length = _SMALL
        _found(services, tenant, alert)
        subscribing.end(services.database, tenant=tenant.slug, alert=alert, now=services.clock.now())
        return _over_page()


def _found(services: FormServices, tenant: Tenant, alert: str) -> Alert | None:
    """Return the alert; None once it has ended. Abort with 404 without the key of its emails."""
    if not subscribing.is_key(services.seal, tenant.slug, alert, request.args.get("key", "")):
        abort(404)
    return subscribing.find(services.database, services.seal, tenant=tenant.slug, alert=alert)


def _search(services: FormServices, tenant: Tenant, address: str) -> tuple[AlertSearch, Results]:
    asked = parse_saved_search(address)
    results = search.find(services.database, tenant, replace(asked, size=1), services.clock.now())
    return search_of(asked, results, get_locale()), results


def _ask_page(
    services: FormServices,
    tenant: Tenant,
    address: str,
    status: int,
    *,
    typed: str = "",
    error: str = "",
    notice: str = "",
) -> Response:
    wanted, results = _search(services, tenant, address)
    site = links_of(tenant, base_url=services.base_url)
    page = render_template(
        "alerts/ask.html",
        wanted=wanted,
        results=results,
        in_language=lambda tag: site.in_language(tag).alerts(parse_qsl(wanted.address)),
        every=_every(request.form.get("every", "")),
        typed=text.displayable(typed),
        error=error,
        notice=notice,
        token=services.signer.sign(
            tenant=tenant.slug, purpose=_PURPOSE, form_id=new_form_id(), now=services.clock.now()
        ),
    )
    return make_response(page, status)


def _alert_page(
    services: FormServices, tenant: Tenant, alert: Alert, *, notice: str = "", status: int = 200, ending: bool = False
) -> Response:
    given, key = request.args.get("every", ""), request.args.get("key", "")
    site = links_of(tenant, base_url=services.base_url)
    page = render_template(
        "alerts/alert.html",
        alert=alert,
        key=key,
        in_language=lambda tag: site.in_language(tag).alert(alert.id, key),
        every=AlertFrequency(given) if given in set(AlertFrequency) else alert.every,
        wants_end=ending,
        gone=_search(services, tenant, alert.search.address)[1].ignored,
        notice=notice,
    )
    return make_response(page, status)


def _over_page() -> Response:
    return make_response(render_template("alerts/over.html"))


def _see(services: FormServices, tenant: Tenant, alert: str) -> Response:
    site = links_of(tenant, base_url=services.base_url)
    return Response(status=303, headers={"Location": site.alert(alert, request.args.get("key", ""))})


def _every(given: str) -> AlertFrequency:
    return AlertFrequency(given) if given in set(AlertFrequency) else AlertFrequency.WEEK


def _again() -> str:
    return str(gettext("This page was open for too long, so nothing was sent. Send it again."))


def _too_many() -> str:
    return str(
        ngettext(
            "You have %(num)s alert here, the most one address can have. Stop one using the link in its emails, then "
            "press the button again.",
            "You have %(num)s alerts here, the most one address can have. Stop one using the link in its emails, then "
            "press the button again.",
            subscribing.AT_MOST,
        )
    )


def _too_often(seconds: int) -> str:
    return str(
        ngettext(
            "Too many alerts were requested from your network. Try again in %(num)s minute.",
            "Too many alerts were requested from your network. Try again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )


def parse_saved_search(address: str) -> Query:
    """Parse the query string of a list's address, without sort order and position: what an alert searches for."""
    return replace(parse(MultiDict(parse_qsl(address))), sort=None, after=None)


def search_of(asked: Query, results: Results, locale: Locale) -> AlertSearch:
    """Return the search as the list shows it: without filters that do nothing, with corrected words."""
    query = replace(in_effect(asked, results), sort=None, after=None)
    if results.corrected:
        query = replace(query, text=results.corrected)
    parts = in_words(query, of_filters(query, results, locale))
    return AlertSearch(urlencode(parameters(query)), " · ".join(parts) or str(gettext("All jobs")))
