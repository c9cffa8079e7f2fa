"""Sentences of self-service that several pages share."""

from flask_babel import gettext, lazy_gettext

from portal.delivery.applications.payload import title_of
from portal.people.index.history import HistoryEventKind

_HAPPENED = {
    HistoryEventKind.SIGNED_IN: lazy_gettext("Someone signed in with a code"),
    HistoryEventKind.CHANGED: lazy_gettext("A change was sent"),
    HistoryEventKind.DELIVERED: lazy_gettext("The change was delivered"),
    HistoryEventKind.OVERTAKEN: lazy_gettext("The change was not sent because the profile had changed in the meantime"),
    HistoryEventKind.REFUSED: lazy_gettext("The change could not be delivered"),
    HistoryEventKind.REPLACED: lazy_gettext("A change that had not been sent yet was replaced by a later one"),
    HistoryEventKind.ADDRESS: lazy_gettext("Email addresses were changed"),
    HistoryEventKind.WITHDRAWN: lazy_gettext("An application was withdrawn"),
}

_KINDS = {
    None: lazy_gettext("Not specified"),
    "personal": lazy_gettext("Personal"),
    "work": lazy_gettext("Work"),
    "PROFESSIONAL_NETWORK": lazy_gettext("Professional network"),
}


def field_named(member: str) -> str:
    """Return the title of an application's member, as its form names it."""
    return str(gettext(title_of(member)))


def happened(what: HistoryEventKind) -> str:
    """Return the sentence for an event of the history."""
    return str(_HAPPENED[what])


def kind_named(kind: str | None) -> str:
    """Return the name of an entry's purpose or type; an unknown one is returned as it is."""
    return str(_KINDS[kind]) if kind in _KINDS else str(kind)
