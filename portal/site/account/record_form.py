"""The profile as a form: lists whose rows are added, removed and moved by buttons of the form, without JavaScript.

Field names are the contract's (§5): `emails-0-email`, `emails-0-purpose`, `emails-0-isPrimary` and so on. Each list has
a field with the number of rows shown (`emails-rows`), which distinguishes a list that a program left out from one that
was emptied: what is not posted is not changed. The page's radio buttons name the primary row by its number
(`emails-primary`); if a program posts `emails-0-isPrimary`, that takes precedence.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from flask_babel import LazyString, gettext, lazy_gettext
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, FieldList, FileField, Form, FormField

from portal.adapters.tracker_client.client import to_json
from portal.contract import bounds
from portal.delivery.applications.payload import title_of
from portal.delivery.record_changes.model import EMAILS, LINKS, PHONES, ProfileEntry, Record, update_of
from portal.people.index.history import HistoryEventKind
from portal.platform.crypto.sealing import folded
from portal.site.forms.fields.typed import EmailField, LinkField, PhoneField, TypedField, TypedForm
from portal.tenants.model import Tenant

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


def event_in_words(what: HistoryEventKind) -> str:
    """Return the sentence for an event of the history."""
    return str(_HAPPENED[what])


def kind_in_words(kind: str | None) -> str:
    """Return the name of an entry's purpose or type; an unknown one is returned as it is."""
    return str(_KINDS[kind]) if kind in _KINDS else str(kind)


ROWS_MOST: Final = bounds.ENTRIES_MAX
_BESIDE = 1_024
"""Bytes that an update may have beside its entries and names: the id of a new CV."""
_KIND_LONGEST = 100
_FIELD = re.compile(r"([A-Za-z]+)-(0|[1-9][0-9]{0,3})-(?:email|phoneNumber|url|purpose|type|isPrimary)")
_ACTION = re.compile(r"(emails|phoneNumbers|socialMedia)\.(?:(add)|(remove|up|down)\.([0-9]{1,4}))")
_NO = ("", "0", "false", "False", "FALSE", "no", "off")


def _row(typed: TypedField, kind_name: str) -> FormField:
    """Return the sub-form of one entry. A row without a value is no entry and is left out."""

    class FormRow(Form):
        value = typed
        kind = TypedField(lazy_gettext("Type"), name=kind_name, longest=_KIND_LONGEST)
        is_primary = BooleanField(lazy_gettext("Primary"), name="isPrimary", false_values=_NO)

    return FormField(FormRow)


class EntryList(FieldList):
    """The rows of one list; `errors` are those of the list, not of its rows.

    kinds: the kinds to choose from, the first for a new row. needed: the message if no entry is left. before: the
    entries that the service has; unchanged ones stay as they are there. untouched: the list was not part of the post.
    """

    def __init__(
        self,
        row: FormField,
        *,
        kinds: tuple[str, ...] = ("personal", "work"),
        needed: LazyString | str = "",
        **kwargs: object,
    ) -> None:
        super().__init__(row, **kwargs)
        self.kinds = kinds
        self.needed = needed
        self.before: tuple[ProfileEntry, ...] = ()
        self.untouched = False

    def process(self, formdata: MultiDict[str, str] | None, *data: object, **kwargs: object) -> None:
        """Read the rows in the order of their numbers, and the primary row from the radio buttons if none is marked."""
        super().process(formdata, *data, **kwargs)
        self.untouched = formdata is not None and not self.entries and formdata.get(f"{self.name}-rows") != "0"
        if formdata is not None and not any(row.is_primary.name in formdata for row in self):
            chosen = formdata.get(self.primary_name)
            for row in self:
                row.is_primary.data = self.number(row) == chosen

    @property
    def primary_name(self) -> str:
        """Return the name that the radio buttons of this list share."""
        return f"{self.name}-primary"

    def number(self, row: FormField) -> str:
        """Return the number in the names of a row's fields."""
        return str(row.name.rpartition("-")[2])

    def choices(self, row: FormField) -> list[tuple[str, str]]:
        """Return (kind, its name) for a row's select box; first the row's own kind if it is not one of `kinds`."""
        now = row.kind.data or ""
        return [(kind, kind_in_words(kind or None)) for kind in (*([] if now in self.kinds else [now]), *self.kinds)]

    def act(self, what: str, place: int) -> str:
        """Add, remove or move a row (add, remove, up, down); return the id of the control that gets the focus."""
        if what == "add":
            if len(self) < ROWS_MOST:
                self.append_entry({"kind": self.kinds[0], "is_primary": not self.entries})
            place = len(self) - 1
        elif place < len(self):
            row = self.pop_entry(place)
            if what != "remove":
                place = max(0, place - 1) if what == "up" else place + 1
                self.entries.insert(place, row)
                self._compact_indices()
        return str(self[min(place, len(self) - 1)].value.id) if self.entries else f"{self.id}-add"

    def validate(self, form: Form, extra_validators: Iterable[object] = ()) -> bool:
        """Validate each row by itself, then the rows together: duplicates, several primary rows, too many, none."""
        for row in self:
            row.value.known_texts, row.kind.known_texts = {e.value for e in self.before}, {e.kind for e in self.before}
        super().validate(form, extra_validators)
        filled = [row for row in self if row.value.value or row.value.errors]
        seen: set[str] = set()
        for row in [row for row in filled if row.value.value]:
            same = folded(row.value.value) if self.name == EMAILS else row.value.value
            if same in seen:
                row.value.errors = [gettext("This is listed twice. Remove one of them.")]
            seen.add(same)
        for row in [row for row in filled if row.is_primary.data][1:]:
            row.is_primary.errors = [gettext("Another entry is already marked as primary. Mark only one.")]
        self.errors = [] if filled or not self.needed else [self.needed]
        if len(filled) > ROWS_MOST:
            self.errors = [gettext("There is room for %(num)s entries here. Remove some.", num=ROWS_MOST)]
        return not self.errors and not any(row.errors for row in self)

    def meant(self) -> tuple[ProfileEntry, ...]:
        """Return the entries, after validate(). Without a primary one the first is primary, unless nothing changed."""
        known = {entry.value: entry for entry in self.before}
        found = tuple(_entry(row, known.get(row.value.value)) for row in self if row.value.value)
        if not found or found == self.before or any(entry.is_primary for entry in found):
            return found
        return (replace(found[0], is_primary=True), *found[1:])

    def _extract_indices(self, prefix: str, formdata: MultiDict[str, str]) -> list[int]:
        # WTForms would count fields that no row has, and accept any Unicode digit as a number.
        return [int(match[2]) for match in map(_FIELD.fullmatch, formdata) if match and match[1] == prefix]


def _entry(row: FormField, was: ProfileEntry | None) -> ProfileEntry:
    """Return the entry of a row. was: the former entry of the same value; its kind and unset primary flag stay."""
    kind, unmarked = row.kind.value or None, False if was is None or was.is_primary is not None else None
    if was is not None and (was.kind or "") == (row.kind.data or ""):
        kind = was.kind
    return ProfileEntry(row.value.value, kind, is_primary=row.is_primary.data or unmarked)


class RecordForm(TypedForm):
    """The form. RecordForm(posted) holds what was typed; RecordForm(None, obj=record) shows a record."""

    first_name = TypedField(
        lazy_gettext("First name"),
        name="firstName",
        longest=bounds.NAME_MAX,
        missing=lazy_gettext("Enter your first name."),
    )
    last_name = TypedField(
        lazy_gettext("Last name"),
        name="lastName",
        longest=bounds.NAME_MAX,
        missing=lazy_gettext("Enter your last name."),
    )
    emails = EntryList(
        _row(EmailField(lazy_gettext("Email address"), name="email"), "purpose"),
        name=EMAILS,
        needed=lazy_gettext("Keep at least one email address. You need it to sign in."),
    )
    phones = EntryList(_row(PhoneField(lazy_gettext("Phone number"), name="phoneNumber"), "purpose"), name=PHONES)
    links = EntryList(
        _row(LinkField(lazy_gettext("Web address"), name="url"), "type"),
        name=LINKS,
        kinds=("PROFESSIONAL_NETWORK",),
    )
    cv = FileField(lazy_gettext("Upload a new CV"), name="cv")

    @property
    def lists(self) -> dict[str, EntryList]:
        """Return the lists by name; the names are those of LISTS."""
        return {rows.name: rows for rows in (self.emails, self.phones, self.links)}

    @property
    def untouched(self) -> bool:
        """Return whether any list was not part of the post."""
        return any(rows.untouched for rows in self.lists.values())

    def take_untouched(self, record: Record) -> None:
        """Fill each list that was not posted with the entries of the record."""
        for name, rows in self.lists.items():
            if rows.untouched:
                rows.process(None, record.entries(name))

    def act(self, wanted: str) -> str | None:
        """Add, remove or move a row; return the id of the control to focus, None if `wanted` is no such action."""
        match = _ACTION.fullmatch(wanted)
        return self.lists[match[1]].act(match[2] or match[3], int(match[4] or 0)) if match else None

    def record(self, before: Record, tenant: Tenant) -> Record | None:
        """Validate; return the record as it is to be, or None if problems() has messages."""
        for name, rows in self.lists.items():
            rows.before = before.entries(name)
        for row in self.phones:
            row.value.regions = (tenant.apply.phone_region,)
        if not self.validate():
            return None
        emails, phones, links = (rows.meant() for rows in self.lists.values())
        meant = Record(self["first_name"].value, self["last_name"].value, emails, phones, links, before.absent)
        return meant if self._has_room(meant) else None

    def _has_room(self, meant: Record) -> bool:
        """Return whether the service accepts a body of this size (§4.10); if not, set an error on the longest list."""
        if len(to_json(update_of(meant))) <= bounds.PUBLIC_BODY_MAX - _BESIDE:
            return True
        longest = max(self.lists.values(), key=lambda rows: sum(len(row.value.value or "") for row in rows))
        longest.errors = [gettext("Your entries are too long to be sent together. Remove some, or shorten long ones.")]
        return False

    def problems(self) -> list[tuple[str, str]]:
        """Return (id of the control, message) in the form's order."""
        found = [(field.id, field.errors) for field in (self.first_name, self.last_name)]
        for rows in self.lists.values():
            found.append((f"{rows.id}-add", rows.errors))
            found += [(field.id, field.errors) for row in rows for field in row]
        return [(name, str(errors[0])) for name, errors in (*found, (self.cv.id, self.cv.errors)) if errors]

    def hidden(self) -> list[tuple[str, str]]:
        """Return everything that was typed as hidden fields, for the pages between the form and sending it."""
        fields = [(field.name, field.data or "") for field in (self.first_name, self.last_name)]
        for name, rows in self.lists.items():
            fields.append((f"{name}-rows", str(len(rows))))
            for row in rows:
                fields += [(field.name, field.data or "") for field in (row.value, row.kind)]
                fields += [(row.is_primary.name, "true")] if row.is_primary.data else []
        return fields
