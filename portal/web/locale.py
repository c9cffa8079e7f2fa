"""The language of a page: part of its address (`?lang=de`), one of the tenant's, its first where none is named.

Not from Accept-Language: a public page is the same for everyone who opens its address, and so it can be kept.
"""

from datetime import datetime

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time, get_datetime_format
from babel.numbers import format_currency, format_decimal, get_currency_symbol
from flask import has_request_context, request
from flask_babel import gettext

from portal.tenants.model import SalaryUnit, Tenant
from portal.vacancies.posting import Place, Posting, Salary
from portal.web import tenant as page_tenant

DEFAULT = "en"


def language(tenant: Tenant) -> str:
    """The language asked for if the tenant has it, else the tenant's first; as written in the tenant file.

    Who reads de-AT reads de: a company's own page says which language it is in, and knows nothing of ours.
    """
    asked = request.args.get("lang", "") if request.query_string else ""
    if asked in tenant.site.locales:
        return asked
    near = asked.partition("-")[0]
    return next((tag for tag in tenant.site.locales if tag.partition("-")[0] == near), tenant.site.locales[0])


def select() -> str:
    """For Flask-Babel: the locale of the page being made, as Babel writes it."""
    tenant = page_tenant.current() if has_request_context() else None
    return (language(tenant) if tenant else DEFAULT).replace("-", "_")


def own_name(tag: str) -> str:
    """What a language is called by those who speak it, with a capital as in a list of its own."""
    name = Locale.parse(tag, sep="-").get_display_name() or tag
    return name[:1].upper() + name[1:]


def direction(tag: str) -> str:
    """`ltr` or `rtl`."""
    try:
        return Locale.parse(tag, sep="-").text_direction
    except (UnknownLocaleError, ValueError):
        return "ltr"


def country(code: str, locale: Locale) -> str:
    """A country's name in the page's language; what is not a code of ISO 3166-1 stays as it is."""
    return locale.territories.get(code.upper(), code) if len(code) == 2 else code


def day(instant: datetime, locale: Locale) -> str:
    """A date such as 12 March 2025, in UTC. Not "3 days ago": a kept page would go on saying so."""
    return format_date(instant.date(), format="long", locale=locale)


def moment(instant: datetime, locale: Locale) -> str:
    """A date and a time to the minute, in UTC, and says so."""
    pattern = str(get_datetime_format("medium", locale=locale)).replace("'", "")
    return (
        pattern.format(format_time(instant, "short", locale=locale), format_date(instant, "long", locale=locale))
        + " UTC"
    )


def posted(posting: Posting) -> datetime | None:
    """Since when a job has been public, as far as its record says."""
    known = [instant for instant in (posting.created_at, posting.start_at) if instant]
    return max(known) if known else None


def place_line(place: Place, locale: Locale) -> str:
    """Where a job is, in one line: city, region where it is called otherwise, country; or how far it reaches."""
    if place.reach:
        return place.reach
    region = place.region if place.region != place.city else None
    return ", ".join(filter(None, (place.city, region, country(place.country, locale) if place.country else None)))


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
