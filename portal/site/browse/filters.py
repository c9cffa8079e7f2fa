"""The filters beside the list, for the template: options to choose, and links that remove an active filter."""

from collections.abc import Callable
from dataclasses import dataclass

from babel import Locale
from flask_babel import gettext

from portal.jobs.posting import FacetValue, Query, Results
from portal.site.words.query import FILTERS, OWN, parameters, without, without_own
from portal.site.words.value_labels import attribute_label, attribute_language, labels, values_language
from portal.tenants.addresses import Addresses
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
    """Return the filters that narrow the list now. query: what is in effect."""
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


def _options(choices: tuple[FacetValue, ...], label: Callable[[FacetValue], str]) -> tuple[Option, ...]:
    return tuple(Option(c.value, label(c), c.count, c.chosen) for c in choices if c.value)
