"""Instants as dates and text, in a language and a time zone.

A tracking service stores instants; a day that people enter there is stored as its midnight, or its last minute, in UTC.
Such an instant means that day in every time zone; any other instant means the day on which it falls in the tenant's
time zone.
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_time, get_datetime_format, get_timezone_name

_MIDNIGHT, _LAST_MINUTE = time(0, 0), time(23, 59)
_BRITISH = Locale("en", "GB")


def zone_of(name: str) -> tzinfo:
    """Return the time zone of an IANA name."""
    return UTC if name == "UTC" else ZoneInfo(name)


def date_of(instant: datetime, zone: tzinfo) -> date:
    """Return the day on which something happened or begins."""
    in_utc = instant.astimezone(UTC)
    return in_utc.date() if in_utc.time() == _MIDNIGHT else instant.astimezone(zone).date()


def last_date_of(end: datetime, zone: tzinfo) -> date:
    """Return the last day before an end: an end at midnight belongs to the day before."""
    in_utc = end.astimezone(UTC)
    is_day = in_utc.time() == _MIDNIGHT or in_utc.time() >= _LAST_MINUTE
    return ((in_utc if is_day else end.astimezone(zone)) - timedelta(microseconds=1)).date()


def _dates_of(locale: Locale) -> Locale:
    """Return the locale for dates: British for plain `en`, like the texts of the pages; `en-US` stays American."""
    return _BRITISH if str(locale) == "en" else locale


def day_in_words(day: date, locale: Locale) -> str:
    """Format a date such as 12 March 2025. Not "3 days ago": a cached page would keep saying so."""
    return format_date(day, format="long", locale=_dates_of(locale))


def in_words(instant: datetime, locale: Locale, zone: tzinfo) -> str:
    """Format a date and a time to the minute. Each page states the time zone once: zone_in_words."""
    pattern = str(get_datetime_format("medium", locale=_dates_of(locale))).replace("'", "")
    day = day_in_words(instant.astimezone(zone), locale)
    return pattern.format(time_in_words(instant, locale, zone), day)


def time_in_words(instant: datetime, locale: Locale, zone: tzinfo) -> str:
    """Format a time of day to the minute."""
    return format_time(instant.astimezone(zone), "short", locale=_dates_of(locale))


def zone_in_words(locale: Locale, zone: tzinfo) -> str:
    """Return the name of a time zone, such as Central European Time, which is valid in summer and in winter."""
    return "UTC" if zone is UTC else get_timezone_name(zone, "long", locale=locale)
