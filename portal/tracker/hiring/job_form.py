"""The fields of a job: parsing what was typed, the body of §4.4 that they make, and what search engines miss."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial

from babel import Locale
from flask_babel import gettext
from werkzeug.datastructures import MultiDict

from portal.contract.bodies import EmploymentType, LocationType
from portal.jobs.places.country import country_code
from portal.jobs.places.place_lookup import country_name
from portal.jobs.text.cleaning import plain
from portal.platform.crypto import normal_forms
from portal.site.forms.fields import refusal, text
from portal.site.forms.fields.refusal import FieldError, Refused
from portal.tracker.hiring.job_text import html_of, markdown_of
from portal.tracker.shapes import Json

TITLE_MOST, PLACE_MOST, TEXT_MOST, AMOUNT_MOST = 200, 200, 20_000, 999_999_999
YEARS = range(2000, 2100)
_TEAM_MOST = 100
_DESCRIBED = 300
"""Minimum number of characters in an informative description."""
_GROUPED = re.compile(r"[0-9]{1,3}(?:[.,'’ ][0-9]{3})+|[0-9]{1,12}")
_DECIMAL = re.compile(r"(.*[0-9])[.,]([0-9]{1,2})")
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(T00:00:00(?:\.0+)?Z|T23:59:[\d.]+Z)?")


@dataclass(frozen=True, slots=True)
class JobFields:
    """A job's fields as a colleague typed them; "" or () for empty ones. description: Markdown. team: ids of users."""

    title: str = ""
    description: str = ""
    place: str = ""
    employment: str = ""
    workplace: str = ""
    salary_min: str = ""
    salary_max: str = ""
    currency: str = ""
    starts: str = ""
    ends: str = ""
    team: tuple[str, ...] = ()

    @classmethod
    def stored(cls, text: str) -> "JobFields":
        """Return the fields of a draft, from its JSON."""
        found = json.loads(text)
        return cls(**found | {"team": tuple(found["team"])})


def read(form: MultiDict[str, str], users: Collection[str]) -> tuple[JobFields, dict[str, str]]:
    """Return the posted fields, and what is wrong with them: the field's name → a sentence. users: ids of the tenant's.

    An invalid field is returned as typed, with U+FFFD in place of invisible characters.
    """
    parsers: dict[str, Callable[[str], str]] = {
        "title": lambda typed: text.single_line(typed, longest=TITLE_MOST),
        "description": _lines,
        "place": lambda typed: text.single_line(typed, longest=PLACE_MOST),
        "employment": partial(_choice, EmploymentType),
        "workplace": partial(_choice, LocationType),
        "salary_min": _amount,
        "salary_max": _amount,
        "currency": _currency,
        "starts": _day,
        "ends": _day,
    }
    values, errors = dict[str, str](), dict[str, str]()
    for name, parse in parsers.items():
        typed = form.get(name, "")
        try:
            values[name] = parse(typed)
        except Refused as why:
            errors[name] = refusal.refused(why, missing="")
        except ValueError as why:
            errors[name] = str(why)
        values.setdefault(name, _UNSEEN.sub(text.REPLACEMENT, typed))
    team = tuple(dict.fromkeys(each for each in form.getlist("team")[:_TEAM_MOST] if each in users))
    fields = JobFields(**values, team=team)
    if not errors:
        errors |= _together(fields)
    return fields, errors


def _together(fields: JobFields) -> dict[str, str]:
    low, high = number(fields.salary_min), number(fields.salary_max)
    errors = {}
    if low is not None and high is not None and low > high:
        errors["salary_max"] = gettext("The highest salary is below the lowest.")
    if (low is not None or high is not None) and not fields.currency:
        errors["currency"] = gettext("Enter the currency of the salary, like EUR.")
    if fields.starts and fields.ends and fields.ends < fields.starts:
        errors["ends"] = gettext("The last day is before the first.")
    return errors


def of_record(record: Json, lang: str) -> JobFields:
    """Return the fields of a vacancy's record (§2.3). lang: of the page, for the country's name."""

    def inside(name: str) -> object:
        return (record.get(name) or {}).get(name)

    salary, location = inside("salaryRange"), inside("location")
    pay: Json = salary if isinstance(salary, dict) else {}
    team = inside("team")
    return JobFields(
        title=str(inside("name") or ""),
        description=markdown_of(str(inside("description") or "")),
        place=_place_of(location, lang) if isinstance(location, dict) else "",
        employment=_known(EmploymentType, inside("employmentType")),
        workplace=_known(LocationType, inside("locationType")),
        salary_min=_written(pay.get("min")),
        salary_max=_written(pay.get("max")),
        currency=str(pay.get("currency") or ""),
        starts=_day_of(inside("startAt")),
        ends=_day_of(inside("endAt")),
        team=tuple(str(one.get("userId")) for one in team if isinstance(one, dict)) if isinstance(team, list) else (),
    )


def body(fields: JobFields, before: JobFields | None = None) -> Json:
    """Return the members of §4.4 for these fields; only those that differ from the ones of the fields before."""
    known = _members(before) if before else {}
    return {name: value for name, value in _members(fields).items() if name not in known or value != known[name]}


def _members(fields: JobFields) -> Json:
    low, high = number(fields.salary_min), number(fields.salary_max)
    is_paid = low is not None or high is not None
    return {
        "name": fields.title,
        "description": html_of(fields.description),
        "location": location_of(fields.place),
        "employmentType": fields.employment or None,
        "locationType": fields.workplace or None,
        "salaryRange": {"currency": fields.currency, "min": low, "max": high} if is_paid else None,
        "startAt": f"{fields.starts}T00:00:00Z" if fields.starts else None,
        "endAt": f"{fields.ends}T23:59:59Z" if fields.ends else None,
        "teamUserIds": list(fields.team),
    }


def location_of(typed: str) -> Json | None:
    """Return the location for a town and country, or a country: "Leipzig, Germany". A country is not guessed."""
    parts = [part for part in re.split(r"\s*[,،]\s*", typed.strip()) if part]
    if not parts:
        return None
    code = country_code(parts[-1])
    if code:
        parts.pop()
    town = parts.pop(0) if parts else None
    return {"city": town, "region": ", ".join(parts) or None, "country": code}


def missing(fields: JobFields, described: str) -> list[tuple[str, bool]]:
    """Return what a job's page lacks for search engines: what to add, and whether they require it to show the job.

    described: the description as HTML.

    https://developers.google.com/search/docs/appearance/structured-data/job-posting
    """
    place, remote = location_of(fields.place) or {}, fields.workplace == LocationType.REMOTE
    where = gettext("The country in which applicants may be") if remote else gettext("A place: town and country")
    country = place.get("country")
    wanted = (
        (gettext("A title"), bool(fields.title), True),
        (
            gettext("A description of a few paragraphs: what there is to do, and for whom"),
            len(plain(described)) >= _DESCRIBED,
            not fields.description.strip(),
        ),
        (where, bool(country and (remote or place.get("city"))), not country),
        (gettext("The employment type"), bool(fields.employment), False),
        (gettext("The last day to apply"), bool(fields.ends), False),
        (gettext("The salary"), bool(fields.salary_min or fields.salary_max), False),
    )
    return [(what, is_needed) for what, is_there, is_needed in wanted if not is_there]


def _lines(typed: str) -> str:
    found = typed.replace("\r\n", "\n").replace("\r", "\n").strip()
    if text.length(found) > TEXT_MOST:
        raise Refused(FieldError.TOO_LONG, limit=TEXT_MOST)
    if text.REPLACEMENT in found:
        raise Refused(FieldError.NOT_UTF8)
    if _UNSEEN.search(found):
        raise Refused(FieldError.INVISIBLE)
    return normal_forms.composed(found)


def _choice(kind: type[EmploymentType | LocationType], typed: str) -> str:
    if typed and typed not in set(kind):
        raise ValueError(gettext("Choose one of the list."))
    return typed


def _amount(typed: str) -> str:
    given = text.single_line(typed, longest=40).replace("\u00a0", " ").replace("\u202f", " ")
    if given and number(given) is None:
        raise ValueError(gettext("Enter an amount in digits, like 45000."))
    return given


def number(given: str) -> float | int | None:
    """Return an amount as people of different countries write it: 45000, 45.000, 45,000, 45 000, 18,50."""
    cents = _DECIMAL.fullmatch(given)
    whole = cents[1] if cents else given
    if not _GROUPED.fullmatch(whole):
        return None
    amount = int(re.sub(r"\D", "", whole))
    if amount > AMOUNT_MOST:
        return None
    return amount + int(cents[2].ljust(2, "0")) / 100 if cents else amount


def _currency(typed: str) -> str:
    code = text.single_line(typed, longest=40).upper()
    if code and (not typed.isascii() or code not in Locale("en").currencies):
        raise ValueError(gettext("Enter the three letters of a currency, like EUR."))
    return code


def _day(typed: str) -> str:
    given = text.single_line(typed, longest=40)
    try:
        if not given or (len(given) == len("2027-03-31") and date.fromisoformat(given).year in YEARS):
            return given
    except ValueError:
        pass
    raise ValueError(gettext("Enter a day as year-month-day, like 2027-03-31."))


def _place_of(location: Mapping[str, object], lang: str) -> str:
    code = str(location.get("country") or "")
    parts = (location.get("city"), location.get("region"), country_name(code, lang) if len(code) == 2 else code)
    return ", ".join(dict.fromkeys(str(part) for part in parts if part))


def _known(kind: type[EmploymentType | LocationType], value: object) -> str:
    return str(value) if value in set(kind) else ""


def _written(amount: object) -> str:
    if not isinstance(amount, int | float):
        return ""
    return str(int(amount)) if amount == int(amount) else f"{amount:.2f}"


def _day_of(moment: object) -> str:
    found = _DATE.match(str(moment or ""))
    return found[1] if found else ""
