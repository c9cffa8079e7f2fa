"""The language of a page: part of its address (`?lang=de`), one of the tenant's, its first if none is named.

Accept-Language is ignored: a public page is the same for everyone who opens its address, so it can be cached.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from babel import Locale, UnknownLocaleError
from babel.core import get_global
from babel.lists import format_list
from babel.numbers import format_currency, format_decimal, get_currency_symbol
from flask import has_request_context, request
from flask_babel import force_locale, get_locale, gettext

from portal.jobs.places.places import address_line
from portal.jobs.posting import JobLocation, Posting, Salary
from portal.platform import local_time
from portal.site.routing import tenant as page_tenant
from portal.site.routing.framing import framed
from portal.site.words.query import in_words_of
from portal.tenants.model import SalaryUnit, Tenant

DEFAULT = "en"
_LONGEST_TAG = 35  # RFC 5646, 4.4.1


def language(tenant: Tenant) -> str:
    """Return the requested language if the tenant has it, else the tenant's first; as written in the tenant file."""
    return _asked_of(tenant) or tenant.site.locales[0]


def is_unknown(tenant: Tenant) -> bool:
    """Return whether the address requests a language that the tenant does not have, which the page then mentions.

    False in a frame, where the loader requests the language of the surrounding page, which the visitor did not choose.
    """
    return bool(request.query_string and request.args.get("lang")) and not framed() and _asked_of(tenant) is None


def text_language(posting: Posting, tenant: Tenant) -> str:
    """Return the site's language in which a job's text is written; its first if it has none of that language."""
    locales = tenant.site.locales
    return next((tag for tag in locales if tag.partition("-")[0] == posting.language), locales[0])


def lacking_language(tenant: Tenant) -> str:
    """Return the sentence for a page where is_unknown."""
    name = name_of(language(tenant), Locale.parse(language(tenant), sep="-"))
    sentence: str = gettext(
        "This site is not available in the language you asked for. This page is in %(language)s.",
        language=name,
    )
    return sentence


def _asked_of(tenant: Tenant) -> str | None:
    """Return the tenant's language for the address, None if there is none.

    de-AT falls back to de: a company's own page states its language without knowing which ones the portal has.
    """
    asked = request.args.get("lang", "")[:_LONGEST_TAG].lower().replace("_", "-") if request.query_string else ""
    near = asked.partition("-")[0]
    locales = tenant.site.locales
    exact = next((tag for tag in locales if tag.lower() == asked), None)
    return exact or next((tag for tag in locales if tag.lower().partition("-")[0] == near), None)


@dataclass(frozen=True, slots=True)
class LanguageOffer:
    """The offer of another language, in that language, to a visitor who may prefer it."""

    sentence: str
    refusal: str
    direction: str


def offer(tag: str) -> LanguageOffer:
    """Return the offer in that language, regardless of the page's."""
    name = Locale.parse(tag, sep="-").get_display_name() or tag
    with force_locale(tag.replace("-", "_")):
        sentence = gettext("This page is also available in %(language)s.", language=name)
        return LanguageOffer(sentence, gettext("No, thank you"), direction(tag))


def select() -> str:
    """Return the current page's locale as Babel writes it; for Flask-Babel."""
    tenant = page_tenant.current() if has_request_context() else None
    return (language(tenant) if tenant else DEFAULT).replace("-", "_")


def own_name(tag: str) -> str:
    """Return a language's name in itself, with a capital as in a list of languages."""
    name = Locale.parse(tag, sep="-").get_display_name() or tag
    return name[:1].upper() + name[1:]


def name_of(tag: str, locale: Locale) -> str:
    """Return a language's name in another; its tag if the name is unknown."""
    return str(locale.languages.get(tag.partition("-")[0], tag))


def direction(tag: str) -> str:
    """Return the direction of a language's script: `ltr` or `rtl`."""
    try:
        return Locale.parse(tag, sep="-").text_direction
    except (UnknownLocaleError, ValueError):
        return "ltr"


def open_graph_locale(tag: str) -> str:
    """Return a language for og:locale, which needs a country: the one with most speakers if the tag names none."""
    if "-" in tag:
        return tag.replace("-", "_")
    # Facebook's format has one code for Arabic in all countries.
    return "ar_AR" if tag == "ar" else f"{tag}_{get_global('likely_subtags').get(tag, '').rpartition('_')[2]}"


def country(code: str, locale: Locale) -> str:
    """Return a country's name in the page's language; a value that is not an ISO 3166-1 code stays as it is."""
    return locale.territories.get(code.upper(), code) if len(code) == 2 else code


def zone() -> tzinfo:
    """Return the time zone of the current page, which is its tenant's."""
    tenant = page_tenant.current()
    return local_time.zone_of(tenant.site.timezone) if tenant else UTC


def recent_moment(instant: datetime, today: date) -> str:
    """Return a time, of yesterday or today without its date; for pages that are never cached."""
    page_locale = get_locale() or Locale(DEFAULT)
    time = local_time.time_in_words(instant, page_locale, zone())
    age = (today - instant.astimezone(zone()).date()).days
    if age == 0:
        return str(gettext("today at %(time)s", time=time))
    if age == 1:
        return str(gettext("yesterday at %(time)s", time=time))
    return local_time.in_words(instant, page_locale, zone())


def recent_day(instant: datetime, today: date) -> str:
    """Return a day, "today" or "yesterday" if it is; for pages that are never cached."""
    day = local_time.date_of(instant, zone())
    if day == today:
        return str(gettext("today"))
    if day == today - timedelta(days=1):
        return str(gettext("yesterday"))
    return local_time.day_in_words(day, get_locale() or Locale(DEFAULT))


def posted(posting: Posting) -> datetime | None:
    """Return since when a job has been public, according to its record; None if that does not say."""
    known = [instant for instant in (posting.created_at, posting.start_at) if instant]
    return max(known) if known else None


def place_line(place: JobLocation, locale: Locale) -> str:
    """Return a job's location in one line: city, region if its name differs, country; or the area that it reaches."""
    place = in_words_of(place, locale)
    if place.reach:
        return place.reach
    region = place.region if place.region != place.city else None
    named = (place.city, region, country(place.country, locale) if place.country else None)
    return beside_each_other(filter(None, named), locale)


def beside_each_other(parts: Iterable[str], locale: Locale) -> str:
    """Return parts of an address in one line, with commas in the script of the parts."""
    return address_line(parts, in_arabic=locale.text_direction == "rtl")


def in_a_list(names: Sequence[str], locale: Locale) -> str:
    """Return several names joined as in a sentence: A, B and C."""
    return format_list(names, locale=locale)


def salary(offer: Salary, locale: Locale, unit: SalaryUnit | None = None) -> str | None:
    """Return a salary as the page's language writes it; None without an amount. unit: its pay period, if known."""
    low, high = offer.low, offer.high
    if low is not None and high is not None and low != high:
        amount = f"{_amount(low, offer.currency, locale)} – {_amount(high, offer.currency, locale)}"
    else:
        known = low if low is not None else high
        if known is None:
            return None
        amount = _amount(known, offer.currency, locale)
    return _paid_for(amount, unit) if unit else amount


def _paid_for(amount: str, unit: SalaryUnit) -> str:
    phrases: dict[SalaryUnit, str] = {
        SalaryUnit.HOUR: gettext("%(amount)s an hour", amount=amount),
        SalaryUnit.DAY: gettext("%(amount)s a day", amount=amount),
        SalaryUnit.WEEK: gettext("%(amount)s a week", amount=amount),
        SalaryUnit.MONTH: gettext("%(amount)s a month", amount=amount),
        SalaryUnit.YEAR: gettext("%(amount)s a year", amount=amount),
    }
    return phrases[unit]


def _amount(value: float, currency: str | None, locale: Locale) -> str:
    digits = "#,##0" if value == int(value) else "#,##0.00"
    if currency and len(currency) == 3 and currency.isalpha():
        pattern = locale.currency_formats["standard"].pattern.split(";")[0]
        if get_currency_symbol(currency.upper(), locale)[-1].isalpha():
            pattern = pattern.replace("¤#", "¤\xa0#")  # CLDR separates letters from digits; Babel does not
        if locale.text_direction == "rtl":
            pattern = pattern.replace("¤", "\u200e¤\u200e")  # otherwise "US$" and "UK£" would be reversed
        whole = pattern.replace("#,##0.00", digits).replace("#,##,##0.00", digits)
        return format_currency(value, currency.upper(), format=whole, locale=locale, currency_digits=False)
    return f"{format_decimal(value, format=digits, locale=locale)} {currency or ''}".strip()
