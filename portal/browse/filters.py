"""The filters beside the list, ready for the template: what can be chosen, and what taking a choice back leads to."""

from collections.abc import Callable
from dataclasses import dataclass

from babel import Locale
from flask_babel import gettext

from portal.tenants.addresses import Addresses
from portal.tenants.model import Tenant
from portal.vacancies.posting import Choice, Query, Results
from portal.web.query import FILTERS, OWN, parameters, without, without_own
from portal.web.words import attribute_label, attribute_language, labels, values_language


@dataclass(frozen=True, slots=True)
class Option:
    """One box to tick. `count`: jobs that it would leave."""

    value: str
    label: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Filter:
    """A group of boxes. `name` is the query parameter.

    language, values_in: of the legend and of what the boxes are called, where they are the tenant's words.
    """

    name: str
    legend: str
    options: tuple[Option, ...]
    language: str | None = None
    values_in: str | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A filter in use, and the address without it."""

    label: str
    without: str
    language: str | None = None


def filters(results: Results, tenant: Tenant, locale: Locale) -> tuple[Filter, ...]:
    """Groups worth showing, those that the tenant names first: those with something to choose."""
    own = [
        Filter(
            OWN + each.name,
            attribute_label(tenant, each.label),
            _options(each.choices, lambda one: one.value),
            attribute_language(tenant, each.label),
            values_language(tenant, each.label),
        )
        for each in results.attributes
    ]
    legends = (gettext("Type of job"), gettext("Way of working"), gettext("Country"), gettext("City"))
    fixed = [
        Filter(name, legend, _options(getattr(results, FILTERS[name]), label))
        for (name, label), legend in zip(labels(locale).items(), legends, strict=True)
    ]
    return tuple(group for group in own + fixed if len(group.options) > 1 or any(o.chosen for o in group.options))


def chosen(query: Query, results: Results, tenant: Tenant, site: Addresses, locale: Locale) -> tuple[Chosen, ...]:
    """What narrows the list now. query: what is in effect."""
    labelled = {each.name: each.label for each in results.attributes}
    own = [
        Chosen(
            value,
            site.jobs(parameters(without_own(query, name, value))),
            values_language(tenant, labelled.get(name)),
        )
        for name, values in query.attributes
        for value in values
    ]
    fixed = [
        Chosen(label(one), site.jobs(parameters(without(query, FILTERS[name], one.value))))
        for name, label in labels(locale).items()
        for one in getattr(results, FILTERS[name])
        if one.chosen
    ]
    return tuple(own + fixed)


def _options(choices: tuple[Choice, ...], label: Callable[[Choice], str]) -> tuple[Option, ...]:
    return tuple(Option(c.value, label(c), c.count, c.chosen) for c in choices if c.value)
