"""What a person is told by self-service, where one sentence serves several pages."""

from flask_babel import gettext, lazy_gettext

from portal.applications.payload import title_of
from portal.candidates.history import What

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


def field_named(member: str) -> str:
    """A member of an application, as its form names it."""
    return str(gettext(title_of(member)))


def happened(what: What) -> str:
    """An event of the history."""
    return str(_HAPPENED[what])


def kind_named(kind: str | None) -> str:
    """A purpose or type of an entry; one that nobody knows stands as it came."""
    return str(_KINDS[kind]) if kind in _KINDS else str(kind)
