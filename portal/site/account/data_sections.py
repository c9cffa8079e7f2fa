"""Everything that is stored about a candidate as sections of labels and values, for the page and for its PDF."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from flask_babel import get_locale, gettext

from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes.person import StoredDelivery
from portal.delivery.privacy_requests.access import Everything
from portal.delivery.privacy_requests.requests import OpenRequest, PrivacyRequestKind
from portal.delivery.record_changes.kind import CHANGE
from portal.jobs.alerts.subscribing import Alert, AlertFrequency
from portal.people.signin.sessions import SignInRecord
from portal.platform import local_time
from portal.site.account.record_form import event_in_words, field_named, kind_in_words
from portal.site.forms.fields.cv import size_in_words
from portal.site.words.locale import country, zone
from portal.tenants.model import Tenant

T = TypeVar("T")
_LIST_ITEM = ("email", "phoneNumber", "url")
"""Members that hold the value of an entry of a record's list."""


@dataclass(frozen=True, slots=True)
class DataEntry:
    """One entry with its facts, as (label, value). alert: the id of a subscription that can be ended.

    is_dated: the facts are events, each with its time as label; several may have the same.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    alert: str = ""
    is_dated: bool = False


@dataclass(frozen=True, slots=True)
class DataSection:
    """One kind of data. A section without entries is shown too, because that means that nothing is stored."""

    title: str
    entries: tuple[DataEntry, ...]


def sections(everything: Everything, tenant: Tenant) -> tuple[DataSection, ...]:
    """Return all sections, in the language and time zone of the current page."""
    sent = everything.deliveries
    who = (
        (gettext("Email address"), everything.email),
        (
            gettext("Profiles found with this address"),
            str(everything.indexed),
        ),
    )
    return (
        DataSection(gettext("About you"), (DataEntry("", who),)),
        DataSection(gettext("Applications"), tuple(_application(one, tenant) for one in sent[APPLICATION.name])),
        DataSection(gettext("Changes to your profile"), tuple(_change(one, tenant) for one in sent[CHANGE.name])),
        _list(gettext("Codes and sessions"), everything.access, lambda one: (when(one.at), _signed_in(one))),
        _list(gettext("Recent activity"), everything.events, lambda one: (when(one.at), event_in_words(one.what))),
        _list(
            gettext("Emails to you that have not been sent yet"),
            everything.emails,
            lambda one: (when(one.at), one.subject),
        ),
        DataSection(gettext("Job alerts by email"), tuple(_alert(one) for one in everything.alerts)),
        DataSection(gettext("Your requests"), tuple(_request(one, tenant) for one in everything.requests)),
    )


def when(instant: datetime) -> str:
    """Return a date and a time, in the time zone that the page names."""
    return local_time.in_words(instant, get_locale(), zone())


def _list(title: str, ones: Iterable[T], fact: Callable[[T], tuple[str, str]]) -> DataSection:
    facts = tuple(fact(one) for one in ones)
    return DataSection(title, (DataEntry("", facts, is_dated=True),) if facts else ())


def _delivery(one: StoredDelivery, tenant: Tenant) -> list[tuple[str, str]]:
    times = (
        (gettext("Received"), one.accepted_at),
        (gettext("With %(company)s", company=tenant.name), one.delivered_at),
        (gettext("Erased"), one.erased_at),
    )
    return [(gettext("Reference"), one.reference), *((name, when(at)) for name, at in times if at)]


def _application(one: StoredDelivery, tenant: Tenant) -> DataEntry:
    facts = _delivery(one, tenant)
    contents = {**one.contents, "country": country(str(one.contents.get("country", "")), get_locale())}
    facts += [(field_named(name), str(contents[name])) for name in one.contents]
    if one.file_name:
        size = f" ({size_in_words(one.file_size)})" if one.file_size else ""
        facts.append((gettext("CV"), one.file_name + size))
    facts += [(gettext("Source (%(name)s)", name=name), value) for name, value in one.sources.items()]
    if one.consent:
        facts.append((gettext("You agreed to"), one.consent.text))
    return DataEntry(one.title or "", tuple(facts))


def _change(one: StoredDelivery, tenant: Tenant) -> DataEntry:
    names = {
        "firstName": gettext("First name"),
        "lastName": gettext("Last name"),
        "emails": gettext("Email addresses"),
        "phoneNumbers": gettext("Phone numbers"),
        "socialMedia": gettext("Websites and online profiles"),
    }
    facts = [(names.get(name, name), _value_lines(value)) for name, value in one.contents.items()]
    if one.file_name:
        facts.append((gettext("CV"), one.file_name))
    return DataEntry(when(one.accepted_at), (*_delivery(one, tenant), *facts))


def _value_lines(value: object) -> str:
    """Return a member of a change: a name, or the entries of a list, each on a line."""
    if isinstance(value, list):
        return "\n".join(_value_lines(one) for one in value) or gettext("None")
    if not isinstance(value, Mapping):
        return str(value)
    found = next((str(value[name]) for name in _LIST_ITEM if name in value), None)
    if found is None:
        return "\n".join(_value_lines(one) for one in value.values())
    kind = value.get("purpose") or value.get("type")
    notes = [kind_in_words(str(kind))] if kind else []
    notes += [gettext("primary")] if value.get("isPrimary") else []
    return f"{found} ({', '.join(notes)})" if notes else found


def _signed_in(one: SignInRecord) -> str:
    if one.kind == "session":
        session = str(gettext("Session"))
        used = one.last_used_at and gettext("last used: %(when)s", when=when(one.last_used_at))
        return f"{session} ({used})" if used else session
    return str(gettext("Address confirmed") if one.kind == "proof" else gettext("Code"))


def _alert(one: Alert) -> DataEntry:
    often = gettext("At most once a week") if one.every is AlertFrequency.WEEK else gettext("At most once a day")
    times = (
        (gettext("Asked for"), one.asked_at),
        (gettext("Confirmed"), one.confirmed_at),
        (gettext("Ends"), one.ends_at),
    )
    facts = [(gettext("How often?"), often), *((name, when(at)) for name, at in times if at)]
    return DataEntry(one.search.words, tuple(facts), one.id)


def _request(one: OpenRequest, tenant: Tenant) -> DataEntry:
    is_erasure = one.kind is PrivacyRequestKind.ERASE
    facts = [(gettext("Reference"), one.reference), (gettext("Asked for"), when(one.asked_at))]
    facts += [(gettext("Application"), one.about)] if one.about else []
    locale = get_locale()
    due, done = (
        at and local_time.day_in_words(local_time.date_of(at, zone()), locale) for at in (one.due_at, one.done_at)
    )
    response_text = (
        gettext("Responded on %(day)s", day=done)
        if done
        else gettext("%(company)s will respond by %(day)s", company=tenant.name, day=due)
    )
    title = gettext("Erase everything") if is_erasure else gettext("Withdraw an application")
    return DataEntry(title, (*facts, (gettext("Response"), response_text)))
