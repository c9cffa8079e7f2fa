"""What a list says of the place that was searched near, and places to choose from while somebody types."""

from dataclasses import dataclass, replace
from functools import partial

from babel import Locale
from flask import Blueprint, Response, jsonify, request
from flask_babel import ngettext
from werkzeug.exceptions import TooManyRequests

from portal.parts import Parts
from portal.tenants.addresses import Addresses
from portal.tenants.model import Tenant
from portal.throttling import Limit, network_of
from portal.vacancies import version
from portal.vacancies.posting import Query, Results
from portal.vacancies.suggesting import suggest
from portal.vacancies.where import REMOTE, Where, country_name
from portal.web.access import public
from portal.web.locale import language
from portal.web.page_cache import PageCache
from portal.web.query import parameters, typed
from portal.web.tenant import for_tenant

_KEPT = 2 * 1024 * 1024
"""Bytes: what people type is endless, so it has room of its own and pushes no page out."""
_LIMITS = (Limit("places", 240, 60),)
"""Of one network: four letters a second for a minute. Whole offices share one, and most answers are kept."""


@dataclass(frozen=True, slots=True)
class Other:
    """Another place of that name, and the address of the same search there."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Place:
    """What the list says of it: sentences, and what else may have been meant."""

    sentences: tuple[str, ...]
    others: tuple[Other, ...]


def place_of(results: Results, query: Query, site: Addresses, locale: Locale) -> Place | None:
    """None where no place was asked for, or one that we do not know."""
    if results.where is None:
        return None
    language = str(locale)
    first = replace(query, after=None)
    others = [where.said(language) for where in results.others]
    return Place(
        tuple(_sentences(results, results.where, language)),
        tuple(Other(name, site.jobs(parameters(replace(first, near=name)))) for name in others),
    )


def _sentences(results: Results, where: Where, language: str) -> list[str]:
    place = where.said(language)
    if where == REMOTE:
        return [ngettext("%(num)d remote job.", "%(num)d remote jobs.", results.total)]
    here = results.total - results.remote
    if where.spot is None:
        said = [ngettext("%(num)d job in %(place)s.", "%(num)d jobs in %(place)s.", here, place=place)]
    else:
        said = [
            ngettext(
                "%(num)d job within %(km)s km of %(place)s.",
                "%(num)d jobs within %(km)s km of %(place)s.",
                here,
                km=results.within_km,
                place=place,
            )
        ]
    if results.remote:
        said.append(
            ngettext(
                "%(num)d remote job can be done from anywhere in %(country)s.",
                "%(num)d remote jobs can be done from anywhere in %(country)s.",
                results.remote,
                country=country_name(where.country, language),
            )
        )
    return said


def blueprint(parts: Parts) -> Blueprint:
    """GET /{slug}/places: what somebody who is typing a place may mean, as a list of JSON."""
    pages = Blueprint("places", __name__)
    kept = PageCache(parts.clock, partial(version.current, parts.database), max_bytes=_KEPT)

    @pages.get("/<slug>/places")
    @public
    @for_tenant(parts.tenants)
    def places(tenant: Tenant) -> Response:
        so_far, lang = typed(request.args).lower(), language(tenant)
        return kept.answer(tenant, (so_far, lang), partial(_suggestions, parts, tenant, so_far, lang))

    return pages


def _suggestions(parts: Parts, tenant: Tenant, so_far: str, lang: str) -> Response:
    wait = parts.throttle.pause((limit, (network_of(request.remote_addr),)) for limit in _LIMITS)
    if wait is not None:
        raise TooManyRequests(retry_after=wait)
    return jsonify(suggest(parts.database, tenant, so_far, lang))
