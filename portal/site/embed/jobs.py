"""Postings → the models of jobs.json and jobs/{postingId}.json."""

from collections.abc import Mapping
from dataclasses import replace

from flask_babel import get_locale, gettext
from werkzeug.datastructures import MultiDict

from portal.jobs.posting import Hit, Posting, Query, Results, Sort
from portal.jobs.search import page
from portal.jobs.search.database_query import NEAR_KM
from portal.jobs.search.hits import summary_of
from portal.site.design.markup import description
from portal.site.embed.shapes import (
    Attribute,
    Choice,
    Company,
    CvRules,
    FieldOption,
    HowToApply,
    Jobs,
    ListedJob,
    Member,
    Notice,
    PostedSalary,
    WholeJob,
)
from portal.site.forms.application_form import ApplicationForm, pointer_of
from portal.site.forms.fields import cv
from portal.site.forms.fields.typed import TypedField
from portal.site.words import search_summary, value_labels
from portal.site.words.locale import is_unknown, lacking_language, language, place_line, posted
from portal.site.words.query import DISTANCES, FILTERS, OWN, in_effect, parameters
from portal.tenants.addresses import Addresses
from portal.tenants.model import Tenant
from portal.tenants.words import words_of


def listed(tenant: Tenant, site: Addresses, asked: Query, results: Results, of_its_own: tuple[Notice, ...]) -> Jobs:
    """Return a page of the list. of_its_own: additional notices about parameters that were ignored (left_out)."""
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
        distance_name=value_labels.how_far(hit, get_locale()),
    )


def _notices(tenant: Tenant, asked: Query, results: Results) -> tuple[Notice, ...]:
    notices = search_summary.notices(asked, results, get_locale())
    found = [Notice(about=each.about, value=each.value, says=each.says) for each in notices]
    if is_unknown(tenant):
        found.append(Notice(about="lang", value=None, says=lacking_language(tenant)))
    return tuple(found)


def job_in_full(tenant: Tenant, site: Addresses, posting: Posting, *, max_cv_bytes: int) -> WholeJob:
    """Return one job with its text, and how to apply for it."""
    words, form = words_of(tenant, language(tenant)), ApplicationForm(None, tenant=tenant)
    return WholeJob(
        **_card(tenant, site, posting, summary_of(posting)),
        description_html=description(posting.description, table_label=str(gettext("Table"))),
        apply=HowToApply(
            url=site.vacancy_portal(posting.id),
            uploads_url=site.uploads(),
            fields=members(form),
            cv=CvRules(
                label=str(form.cv.label.text),
                help=cv.hint(max_cv_bytes),
                max_bytes=max_cv_bytes,
                types=tuple(cv.ACCEPTED_FILES.split(",")),
            ),
            consent=words.consent,
            privacy_url=words.privacy_url,
        ),
    )


def members(form: ApplicationForm) -> tuple[Member, ...]:
    """Return the fields that a front end has to offer: those of the form, in its order, in the page's language."""
    return tuple(_member(one) for one in form if isinstance(one, TypedField))


def _member(field: TypedField) -> Member:
    options = field.options()
    return Member(
        name=field.name,
        pointer=pointer_of(field.name),
        label=str(field.label.text),
        help=str(field.description) or None,
        type=field.input_type,
        required=not field.optional,
        max_length=field.longest,
        options=options and tuple(FieldOption(value=value, label=label) for value, label in options),
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
        "employment_type_name": _named(value_labels.EMPLOYMENT, posting.employment_type),
        "location_type": posting.location_type,
        "location_type_name": _named(value_labels.LOCATION, posting.location_type),
        "facets": tuple(
            Attribute(name=OWN + each.name, label=value_labels.attribute_label(tenant, each.label), values=each.values)
            for each in posting.attributes
        ),
        "client": posting.client,
        "salary": offer
        and PostedSalary(currency=offer.currency, min=offer.low, max=offer.high, unit=tenant.publish.salary_unit),
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
        for name, label in value_labels.labels(get_locale()).items()
    }


MOST = 100
"""Jobs on one page of the list."""
_SAID_MOST = 100
"""Characters of a value that a notice repeats."""


def size(args: MultiDict[str, str]) -> int:
    """Return the number of jobs on a page; an invalid limit is ignored."""
    limit = args.get("limit", "")
    return int(limit) if _is_size(limit) else Query().size


def left_out(args: MultiDict[str, str], query: Query) -> tuple[Notice, ...]:
    """Return notices about invalid values that only programs send: of page size, distance or position in the list."""
    limit, within, after = (args.get(name, "")[:_SAID_MOST] for name in ("limit", "within", "after"))
    found = []
    if limit and not _is_size(limit):
        message = gettext(
            "A page can have 1 to %(most)s jobs. “%(value)s” was ignored, and this page has up to %(usual)s.",
            most=MOST,
            value=limit,
            usual=Query().size,
        )
        found.append(Notice(about="limit", value=limit, says=message))
    if within and query.near and query.within_km is None:
        message = gettext(
            "The distance must be one of %(distances)s km. “%(value)s” was ignored, and these jobs are within "
            "%(usual)s km.",
            distances=", ".join(map(str, DISTANCES)),
            value=within,
            usual=NEAR_KM,
        )
        found.append(Notice(about="within", value=within, says=message))
    if after and not any(page.decode_cursor(sort, query.after) for sort in Sort):
        message = gettext("No page of this list starts at “%(value)s”, so this is the first page.", value=after)
        found.append(Notice(about="after", value=after, says=message))
    return tuple(found)


def _is_size(limit: str) -> bool:
    return limit.isascii() and limit.isdecimal() and len(limit) <= 3 and 1 <= int(limit) <= MOST
