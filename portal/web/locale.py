"""The language of a page: part of its address (`?lang=de`), one of the tenant's, its first where none is named.

Not from Accept-Language: a public page is the same for everyone who opens its address, and so it can be kept.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from babel import Locale, UnknownLocaleError
from babel.lists import format_list
from babel.numbers import format_currency, format_decimal, get_currency_symbol
from flask import has_request_context, request
from flask_babel import force_locale, gettext

from portal import moments
from portal.tenants.model import SalaryUnit, Tenant
from portal.vacancies.posting import Place, Posting, Salary
from portal.web import tenant as page_tenant
from portal.web.framing import framed
from portal.web.places_in_script import in_script

DEFAULT = "en"
_LONGEST_TAG = 35  # RFC 5646, 4.4.1


def language(tenant: Tenant) -> str:
    """The language asked for if the tenant has it, else the tenant's first; as written in the tenant file."""
    return _asked_of(tenant) or tenant.site.locales[0]


def is_unknown(tenant: Tenant) -> bool:
    """Whether the address asks for a language that the tenant does not have, which the page then says.

    Not in a frame: there the loader asks for the language of the page around it, and nobody chose it.
    """
    return bool(request.query_string and request.args.get("lang")) and not framed() and _asked_of(tenant) is None


def lacking_language(tenant: Tenant) -> str:
    """What is said where is_unknown."""
    name = name_of(language(tenant), Locale.parse(language(tenant), sep="-"))
    said: str = gettext(
        "This site does not have the language that the address asks for, so here is the page in %(language)s.",
        language=name,
    )
    return said


def _asked_of(tenant: Tenant) -> str | None:
    """Who reads de-AT reads de: a company's own page says which language it is in, and knows nothing of ours."""
    asked = request.args.get("lang", "")[:_LONGEST_TAG].lower().replace("_", "-") if request.query_string else ""
    near = asked.partition("-")[0]
    locales = tenant.site.locales
    exact = next((tag for tag in locales if tag.lower() == asked), None)
    return exact or next((tag for tag in locales if tag.lower().partition("-")[0] == near), None)


@dataclass(frozen=True, slots=True)
class Offer:
    """What is said, in another language, to somebody who may rather read that one."""

    sentence: str
    refusal: str
    direction: str


def offer(tag: str) -> Offer:
    """The words of that language, whatever the page's is."""
    name = Locale.parse(tag, sep="-").get_display_name() or tag
    with force_locale(tag.replace("-", "_")):
        sentence = gettext("This page is also available in %(language)s.", language=name)
        return Offer(sentence, gettext("No, thank you"), direction(tag))


def select() -> str:
    """For Flask-Babel: the locale of the page being made, as Babel writes it."""
    tenant = page_tenant.current() if has_request_context() else None
    return (language(tenant) if tenant else DEFAULT).replace("-", "_")


def own_name(tag: str) -> str:
    """What a language is called by those who speak it, with a capital as in a list of its own."""
    name = Locale.parse(tag, sep="-").get_display_name() or tag
    return name[:1].upper() + name[1:]


def name_of(tag: str, locale: Locale) -> str:
    """What a language is called in another; the tag of one that nobody knows."""
    return str(locale.languages.get(tag.partition("-")[0], tag))


def direction(tag: str) -> str:
    """`ltr` or `rtl`."""
    try:
        return Locale.parse(tag, sep="-").text_direction
    except (UnknownLocaleError, ValueError):
        return "ltr"


def country(code: str, locale: Locale) -> str:
    """A country's name in the page's language; what is not a code of ISO 3166-1 stays as it is."""
    return locale.territories.get(code.upper(), code) if len(code) == 2 else code


def zone() -> tzinfo:
    """Whose clocks the page being made shows: its tenant's."""
    tenant = page_tenant.current()
    return moments.zone_of(tenant.site.timezone) if tenant else UTC


def posted(posting: Posting) -> datetime | None:
    """Since when a job has been public, as far as its record says."""
    known = [instant for instant in (posting.created_at, posting.start_at) if instant]
    return max(known) if known else None


def place_line(place: Place, locale: Locale) -> str:
    """Where a job is, in one line: city, region where it is called otherwise, country; or how far it reaches."""
    place = in_script(place, locale)
    if place.reach:
        return place.reach
    region = place.region if place.region != place.city else None
    named = (place.city, region, country(place.country, locale) if place.country else None)
    return beside_each_other(filter(None, named), locale)


def beside_each_other(parts: Iterable[str], locale: Locale) -> str:
    """Parts of an address in one line, with the comma of the page's script."""
    return ("، " if locale.text_direction == "rtl" else ", ").join(parts)


def in_a_list(names: Sequence[str], locale: Locale) -> str:
    """Several names as a sentence has them: A, B and C."""
    return format_list(names, locale=locale)


def salary(offer: Salary, locale: Locale, unit: SalaryUnit | None = None) -> str | None:
    """A salary as the page's language writes it; None when it says nothing. unit: what it is paid for, if told."""
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
    said: dict[SalaryUnit, str] = {
        SalaryUnit.HOUR: gettext("%(amount)s an hour", amount=amount),
        SalaryUnit.DAY: gettext("%(amount)s a day", amount=amount),
        SalaryUnit.WEEK: gettext("%(amount)s a week", amount=amount),
        SalaryUnit.MONTH: gettext("%(amount)s a month", amount=amount),
        SalaryUnit.YEAR: gettext("%(amount)s a year", amount=amount),
    }
    return said[unit]


def _amount(value: float, currency: str | None, locale: Locale) -> str:
    digits = "#,##0" if value == int(value) else "#,##0.00"
    if currency and len(currency) == 3 and currency.isalpha():
        pattern = locale.currency_formats["standard"].pattern.split(";")[0]
        if get_currency_symbol(currency.upper(), locale)[-1].isalpha():
            pattern = pattern.replace("¤#", "¤\xa0#")  # CLDR keeps letters and digits apart; Babel does not
        whole = pattern.replace("#,##0.00", digits).replace("#,##,##0.00", digits)
        return format_currency(value, currency.upper(), format=whole, locale=locale, currency_digits=False)
    return f"{format_decimal(value, format=digits, locale=locale)} {currency or ''}".strip()
