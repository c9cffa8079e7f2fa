"""What a person is told by self-service, where one sentence serves several pages."""

from flask_babel import lazy_gettext

from portal.records.history import What
from portal.web.fields import words
from portal.web.fields.refusal import Refused

_HAPPENED = {
    What.SIGNED_IN: lazy_gettext("Someone signed in with a code"),
    What.CHANGED: lazy_gettext("A change was sent"),
    What.DELIVERED: lazy_gettext("The change was delivered"),
    What.OVERTAKEN: lazy_gettext("The change was not sent, because the record had changed meanwhile"),
    What.REFUSED: lazy_gettext("The change could not be delivered"),
    What.REPLACED: lazy_gettext("A change that was not sent yet made way for a later one"),
    What.ADDRESS: lazy_gettext("E-mail addresses were changed"),
    What.WITHDRAWN: lazy_gettext("An application was withdrawn"),
}

_KINDS = {
    None: lazy_gettext("Not stated"),
    "personal": lazy_gettext("Personal"),
    "work": lazy_gettext("Work"),
    "PROFESSIONAL_NETWORK": lazy_gettext("Professional network"),
}

_FIELDS = {
    "first_name": lazy_gettext("First name"),
    "last_name": lazy_gettext("Last name"),
    "email": lazy_gettext("E-mail"),
    "phone_number": lazy_gettext("Phone number"),
    "network_url": lazy_gettext("Link to a profile or website"),
    "city": lazy_gettext("City"),
    "region": lazy_gettext("State or region"),
    "postal_code": lazy_gettext("Postal code"),
    "country": lazy_gettext("Country"),
}


def field_named(name: str) -> str:
    """A field of an application, as its form names it."""
    return str(_FIELDS[name])


def typed_wrong(why: Refused, missing: str) -> str:
    """One sentence or two about a value that cannot be taken. missing: what to say when it is empty."""
    return words.refused(why, missing=missing)


def happened(what: What) -> str:
    """An event of the history."""
    return str(_HAPPENED[what])


def kind_named(kind: str | None) -> str:
    """A purpose or type of an entry; one that nobody knows stands as it came."""
    return str(_KINDS[kind]) if kind in _KINDS else str(kind)
