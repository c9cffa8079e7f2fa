"""Postings → the data that describes them."""

from collections.abc import Mapping
from dataclasses import replace

from flask_babel import get_locale, gettext

from portal.embed.shapes import (
    Attribute,
    Choice,
    Company,
    CvRules,
    HowToApply,
    Jobs,
    ListedJob,
    Member,
    Notice,
    SalaryRange,
    WholeJob,
)
from portal.parts import Parts
from portal.tenants.addresses import Addresses
from portal.tenants.model import Tenant
from portal.tenants.words import words_of
from portal.vacancies import search
from portal.vacancies.hits import summary_of
from portal.vacancies.posting import Hit, Posting, Query, Results
from portal.web import searched, words
from portal.web.application_form import ApplicationForm
from portal.web.assembly import here
from portal.web.fields import cv
from portal.web.locale import is_unknown, lacking_language, language, place_line, posted
from portal.web.markup import description
from portal.web.query import FILTERS, OWN, in_effect, parameters


def listed(parts: Parts, tenant: Tenant, asked: Query, of_its_own: tuple[Notice, ...] = ()) -> Jobs:
    """A page of the list. of_its_own: what was left out of the query before it was asked."""
    results = search.find(parts.database, tenant, asked, parts.clock.now())
    site = here(parts, tenant).outside()
    following = parameters(replace(in_effect(asked, results), after=results.next))
    if asked.size != Query().size:
        following.append(("limit", str(asked.size)))
    return Jobs(
        company=Company(name=tenant.name, url=site.jobs()),
        total=results.total,
        jobs=tuple(_listed(tenant, site, hit) for hit in results.hits),
        notices=(*_notices(tenant, asked, results), *of_its_own),
        facets=_facets(results),
        next=site.jobs_data(following) if results.next else None,
        lang=language(tenant),
    )


def _listed(tenant: Tenant, site: Addresses, hit: Hit) -> ListedJob:
    return ListedJob(
        **_card(tenant, site, hit.posting, hit.summary),
        distance_km=None if hit.distance_km is None else round(hit.distance_km, 1),
        distance_name=words.how_far(hit, get_locale()),
    )


def _notices(tenant: Tenant, asked: Query, results: Results) -> tuple[Notice, ...]:
    told = searched.notices(asked, results, get_locale())
    found = [Notice(about=each.about, value=each.value, says=each.says) for each in told]
    if is_unknown(tenant):
        found.append(Notice(about="lang", value=None, says=lacking_language(tenant)))
    return tuple(found)


def whole(parts: Parts, tenant: Tenant, posting: Posting) -> WholeJob:
    """One job with its text, and how to apply for it."""
    site, said = here(parts, tenant).outside(), words_of(tenant, language(tenant))
    return WholeJob(
        **_card(tenant, site, posting, summary_of(posting)),
        description_html=description(posting.description, table_label=str(gettext("Table"))),
        apply=HowToApply(
            url=site.vacancy_portal(posting.id),
            uploads_url=site.uploads(),
            fields=tuple(
                Member(name=one.name, type=one.type, required=one.required, max_length=one.longest)
                for one in ApplicationForm(None, tenant=tenant).asks_for()
            ),
            cv=CvRules(max_bytes=parts.settings.max_cv_bytes, types=tuple(cv.ACCEPTED_FILES.split(","))),
            consent=said.consent,
            privacy_url=said.privacy_url,
        ),
    )


def _card(tenant: Tenant, site: Addresses, posting: Posting, summary: str) -> dict[str, object]:
    locale, offer, place = get_locale(), posting.salary, posting.place
    return {
        "id": posting.id,
        "title": posting.title,
        "url": site.job(posting.id),
        "apply_url": site.apply(posting.id),
        "language": posting.language,
        "summary": summary,
        "city": place.city,
        "region": place.region,
        "country": place.country,
        "place_name": place_line(place, locale),
        "employment_type": posting.employment_type,
        "employment_type_name": _named(words.EMPLOYMENT, posting.employment_type),
        "location_type": posting.location_type,
        "location_type_name": _named(words.LOCATION, posting.location_type),
        "facets": tuple(
            Attribute(name=OWN + each.name, label=words.attribute_label(tenant, each.label), values=each.values)
            for each in posting.attributes
        ),
        "client": posting.client,
        "salary": offer
        and SalaryRange(currency=offer.currency, min=offer.low, max=offer.high, unit=tenant.publish.salary_unit),
        "posted_at": posted(posting),
        "updated_at": posting.modified_at,
        "closes_at": posting.end_at,
    }


def _named(names: Mapping[str, object], value: str | None) -> str | None:
    return str(names[value]) if value and value in names else None


def _facets(results: Results) -> dict[str, tuple[Choice, ...]]:
    own = {
        OWN + each.name: tuple(Choice(value=one.value, name=one.value, count=one.count) for one in each.choices)
        for each in results.attributes
    }
    return own | {
        name: tuple(
            Choice(value=one.value, name=label(one), count=one.count)
            for one in getattr(results, FILTERS[name])
            if one.value
        )
        for name, label in words.labels(get_locale()).items()
    }
