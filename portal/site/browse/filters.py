"""The filters beside the list, for the template: options to choose, and links that remove an active filter."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from babel import Locale
from flask import Blueprint, Response, jsonify, request
from flask_babel import gettext, ngettext
from werkzeug.exceptions import TooManyRequests

from portal.jobs.mirror import version
from portal.jobs.places.place_lookup import REMOTE, SearchLocation, country_name
from portal.jobs.posting import FacetValue, Query, Results, Sort
from portal.jobs.search.suggestions import suggest
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.rate_limits import Limit, Throttle, per_network_limits
from portal.site.page_cache import PageCache
from portal.site.routing.access import public
from portal.site.routing.tenant import for_tenant
from portal.site.words.locale import language
from portal.site.words.query import FILTERS, OWN, parameters, typed, without, without_own
from portal.site.words.value_labels import attribute_label, attribute_language, labels, values_language
from portal.tenants.addresses import Addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant


@dataclass(frozen=True, slots=True)
class Option:
    """One checkbox. `count`: the jobs that would remain."""

    value: str
    label: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class FilterGroup:
    """A group of checkboxes. `name` is the query parameter.

    language, values_in: the language of the legend and of the options, where they are the tenant's words.
    """

    name: str
    legend: str
    options: tuple[Option, ...]
    language: str | None = None
    values_in: str | None = None


@dataclass(frozen=True, slots=True)
class ActiveFilter:
    """A filter in use, and the address of the list without it."""

    label: str
    without: str
    language: str | None = None


def filters(results: Results, tenant: Tenant, locale: Locale) -> tuple[FilterGroup, ...]:
    """Return the groups with something to choose, first those that the tenant names."""
    own = [
        FilterGroup(
            OWN + each.name,
            attribute_label(tenant, each.label),
            _options(each.choices, lambda one: one.value),
            attribute_language(tenant, each.label),
            values_language(tenant, each.label),
        )
        for each in results.attributes
    ]
    legends = (gettext("Job type"), gettext("Workplace type"), gettext("Country"), gettext("City"))
    fixed = [
        FilterGroup(name, legend, _options(getattr(results, FILTERS[name]), label))
        for (name, label), legend in zip(labels(locale).items(), legends, strict=True)
    ]
    return tuple(group for group in own + fixed if len(group.options) > 1 or any(o.chosen for o in group.options))


def chosen(query: Query, results: Results, tenant: Tenant, site: Addresses, locale: Locale) -> tuple[ActiveFilter, ...]:
    """Return the filters that narrow the list now. query: the query in effect."""
    labelled = {each.name: each.label for each in results.attributes}
    own = [
        ActiveFilter(
            value,
            site.jobs(parameters(without_own(query, name, value))),
            values_language(tenant, labelled.get(name)),
        )
        for name, values in query.attributes
        for value in values
    ]
    fixed = [
        ActiveFilter(label(one), site.jobs(parameters(without(query, FILTERS[name], one.value))))
        for name, label in labels(locale).items()
        for one in getattr(results, FILTERS[name])
        if one.chosen
    ]
    return tuple(own + fixed)


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the list, and the address of the list in it; None for the present order."""

    label: str
    address: str | None


def orders(query: Query, results: Results, site: Addresses) -> tuple[Order, ...]:
    """Return the orders to choose from, the usual one of this search first; () if there is only one.

    query: the query in effect, from its first page.
    """
    offered = {Sort.RELEVANCE: gettext("Best match")} if query.text and not results.wordless else {}
    if results.within_km:
        offered[Sort.DISTANCE] = gettext("Nearest")
    offered[Sort.DATE] = gettext("Newest")
    if len(offered) == 1:
        return ()
    usual = next(iter(offered))
    return tuple(
        Order(
            label,
            None
            if sort is results.sort
            else site.jobs(parameters(replace(query, sort=None if sort is usual else sort))),
        )
        for sort, label in offered.items()
    )


def _options(choices: tuple[FacetValue, ...], label: Callable[[FacetValue], str]) -> tuple[Option, ...]:
    return tuple(Option(c.value, label(c), c.count, c.chosen) for c in choices if c.value)


_KEPT = 8 * 1024 * 1024
"""Bytes of a separate cache, a quarter of it for searches, as these are: people type any number of texts."""
_LIMIT = Limit("places", 240, 60)
"""Limit for one network: four letters a second for a minute. A whole office may share it; most answers are cached."""


@dataclass(frozen=True, slots=True)
class OtherLocation:
    """Another location of the same name, and the address of the same search there."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class PlaceNotice:
    """The notice: its sentences, and other locations that may have been meant."""

    sentences: tuple[str, ...]
    others: tuple[OtherLocation, ...]


def place_notice(results: Results, query: Query, site: Addresses, locale: Locale) -> PlaceNotice | None:
    """Return the notice; None if no location was searched near, or an unknown one."""
    if results.place is None:
        return None
    language = str(locale)
    first = replace(query, after=None)
    others = [where.full_name(language) for where in results.others]
    return PlaceNotice(
        tuple(_sentences(results, results.place, language)),
        tuple(OtherLocation(name, site.jobs(parameters(replace(first, near=name)))) for name in others),
    )


def _sentences(results: Results, where: SearchLocation, language: str) -> list[str]:
    place = where.full_name(language)
    if where == REMOTE:
        return [ngettext("%(num)d remote job.", "%(num)d remote jobs.", results.total)]
    here = results.total - results.remote
    if where.spot is None:
        sentences = [ngettext("%(num)d job in %(place)s.", "%(num)d jobs in %(place)s.", here, place=place)]
    else:
        sentences = [
            ngettext(
                "%(num)d job within %(km)s km of %(place)s.",
                "%(num)d jobs within %(km)s km of %(place)s.",
                here,
                km=results.within_km,
                place=place,
            )
        ]
    if results.remote:
        sentences.append(
            ngettext(
                "%(num)d remote job can be done from anywhere in %(country)s.",
                "%(num)d remote jobs can be done from anywhere in %(country)s.",
                results.remote,
                country=country_name(where.country, language),
            )
        )
    return sentences


def blueprint(database: Database, tenants: Tenants, clock: Clock, throttle: Throttle) -> Blueprint:
    """Return the blueprint of GET /{slug}/places: a JSON list of locations that match what somebody is typing."""
    pages = Blueprint("places", __name__)
    cache = PageCache(clock, partial(version.current, database), max_bytes=_KEPT)

    @pages.get("/<slug>/places")
    @public
    @for_tenant(tenants)
    def places(tenant: Tenant) -> Response:
        so_far, lang = typed(request.args).lower(), language(tenant)
        return cache.answer(tenant, (so_far, lang), partial(suggestions, tenant, so_far, lang), is_search=True)

    def suggestions(tenant: Tenant, so_far: str, lang: str) -> Response:
        wait = throttle.hit_sliding_window(per_network_limits(_LIMIT, request.remote_addr))
        if wait is not None:
            raise TooManyRequests(retry_after=wait)
        return jsonify(suggest(database, tenant, so_far, lang))

    return pages
