"""The record as a form: lists whose rows are added, removed and moved by buttons of the form, without JavaScript.

Field names are the contract's (§5): `emails-0-email`, `emails-0-purpose`, `emails-0-isPrimary` and so on. Beside each
list stands how many rows were shown (`emails-rows`), so that a list which a program left out is told from one that was
emptied: what is not posted is not touched. The page's radio buttons say which row is the primary one by its number
(`emails-primary`); where a program posts `emails-0-isPrimary`, that counts.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from flask_babel import LazyString, gettext, lazy_gettext
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, FieldList, FileField, Form, FormField

from portal.contract import limits
from portal.profile.words import kind_named
from portal.records.model import EMAILS, LINKS, PHONES, Entry, Record
from portal.sealing import folded
from portal.tenants.model import Tenant
from portal.web.fields.typed import EmailField, LinkField, PhoneField, TypedField, TypedForm

ROWS_MOST: Final = 200
_KIND_LONGEST = 100
_FIELD = re.compile(r"([A-Za-z]+)-(0|[1-9][0-9]{0,3})-(?:email|phoneNumber|url|purpose|type|isPrimary)")
_ACTION = re.compile(r"(emails|phoneNumbers|socialMedia)\.(?:(add)|(remove|up|down)\.([0-9]{1,4}))")
_NO = ("", "0", "false", "False", "FALSE", "no", "off")


def _row(typed: TypedField, kind_name: str) -> FormField:
    """A form of one entry. An entry is what has a value: a row without one is left out."""

    class Row(Form):
        value = typed
        kind = TypedField(lazy_gettext("Kind"), name=kind_name, longest=_KIND_LONGEST)
        is_primary = BooleanField(lazy_gettext("Primary"), name="isPrimary", false_values=_NO)

    return FormField(Row)


class EntryList(FieldList):
    """Rows of one kind; its own errors are those of the list, not of a row.

    kinds: what can be chosen, the first for a new row. needed: what to say where no entry is left. before: the entries
    that the service has; what did not change stays as it came. untouched: the list was not part of the post.
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
        self.before: tuple[Entry, ...] = ()
        self.untouched = False

    def process(self, formdata: MultiDict[str, str] | None, *data: object, **kwargs: object) -> None:
        """Rows in the order of their numbers."""
        super().process(formdata, *data, **kwargs)
        self.untouched = formdata is not None and not self.entries and formdata.get(f"{self.name}-rows") != "0"
        if formdata is not None and not any(row.is_primary.name in formdata for row in self):
            chosen = formdata.get(self.primary_name)
            for row in self:
                row.is_primary.data = self.number(row) == chosen

    @property
    def primary_name(self) -> str:
        """The one name that the radio buttons of this list share."""
        return f"{self.name}-primary"

    def number(self, row: FormField) -> str:
        """What a row's fields are numbered with."""
        return str(row.name.rpartition("-")[2])

    def choices(self, row: FormField) -> list[tuple[str, str]]:
        """(kind, its name) for a row, the one that it has among them."""
        now = row.kind.data or ""
        return [(kind, kind_named(kind or None)) for kind in (*([] if now in self.kinds else [now]), *self.kinds)]

    def act(self, what: str, place: int) -> str:
        """Add, remove or move a row (add, remove, up, down); the id of the control to go on with."""
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
        """Each row by itself, then beside the others."""
        for row in self:
            row.value.kept, row.kind.kept = {e.value for e in self.before}, {e.kind for e in self.before}
        super().validate(form, extra_validators)
        filled = [row for row in self if row.value.value or row.value.errors]
        seen: set[str] = set()
        for row in [row for row in filled if row.value.value]:
            same = folded(row.value.value) if self.name == EMAILS else row.value.value
            if same in seen:
                row.value.errors = [gettext("This is here twice. Remove one of them.")]
            seen.add(same)
        for row in [row for row in filled if row.is_primary.data][1:]:
            row.is_primary.errors = [gettext("Another one is marked as primary already. Mark one only.")]
        self.errors = [] if filled or not self.needed else [self.needed]
        return not self.errors and not any(row.errors for row in self)

    def meant(self) -> tuple[Entry, ...]:
        """The entries, after validate(). The first is primary where none is; a list that never had one stays so until
        it changes.
        """
        known = {entry.value: entry for entry in self.before}
        found = tuple(_entry(row, known.get(row.value.value)) for row in self if row.value.value)
        if not found or found == self.before or any(entry.is_primary for entry in found):
            return found
        return (replace(found[0], is_primary=True), *found[1:])

    def _extract_indices(self, prefix: str, formdata: MultiDict[str, str]) -> list[int]:
        # WTForms counts fields that no row has, and takes for a number whatever Unicode calls a digit.
        return [int(match[2]) for match in map(_FIELD.fullmatch, formdata) if match and match[1] == prefix]


def _entry(row: FormField, was: Entry | None) -> Entry:
    """was: the entry of the same value."""
    kind, unmarked = row.kind.value or None, False if was is None or was.is_primary is not None else None
    if was is not None and (was.kind or "") == (row.kind.data or ""):
        kind = was.kind
    return Entry(row.value.value, kind, is_primary=row.is_primary.data or unmarked)


class RecordForm(TypedForm):
    """RecordForm(posted) is what was typed; RecordForm(None, obj=record) shows a record."""

    first_name = TypedField(
        lazy_gettext("First name"),
        name="firstName",
        longest=limits.NAME_MAX,
        missing=lazy_gettext("Enter your first name."),
    )
    last_name = TypedField(
        lazy_gettext("Last name"),
        name="lastName",
        longest=limits.NAME_MAX,
        missing=lazy_gettext("Enter your last name."),
    )
    emails = EntryList(
        _row(EmailField(lazy_gettext("E-mail"), name="email"), "purpose"),
        name=EMAILS,
        needed=lazy_gettext("Keep at least one e-mail address: it is how you sign in."),
    )
    phones = EntryList(_row(PhoneField(lazy_gettext("Phone number"), name="phoneNumber"), "purpose"), name=PHONES)
    links = EntryList(
        _row(LinkField(lazy_gettext("Address of the page"), name="url"), "type"),
        name=LINKS,
        kinds=("PROFESSIONAL_NETWORK",),
    )
    cv = FileField(lazy_gettext("Send a new CV"), name="cv")

    @property
    def lists(self) -> dict[str, EntryList]:
        """By their names, those of LISTS."""
        return {rows.name: rows for rows in (self.emails, self.phones, self.links)}

    @property
    def untouched(self) -> bool:
        """Whether a list was not part of the post."""
        return any(rows.untouched for rows in self.lists.values())

    def take_untouched(self, record: Record) -> None:
        """Fill what was not posted with what the record has."""
        for name, rows in self.lists.items():
            if rows.untouched:
                rows.process(None, record.entries(name))

    def act(self, wanted: str) -> str | None:
        """Add, remove or move a row; the id of the control to go on with, None if it is no such action."""
        match = _ACTION.fullmatch(wanted)
        return self.lists[match[1]].act(match[2] or match[3], int(match[4] or 0)) if match else None

    def record(self, before: Record, tenant: Tenant) -> Record | None:
        """What is meant, or None: then problems() says what is wrong."""
        for name, rows in self.lists.items():
            rows.before = before.entries(name)
        for row in self.phones:
            row.value.regions = (tenant.apply.phone_region,)
        if not self.validate():
            return None
        emails, phones, links = (rows.meant() for rows in self.lists.values())
        return Record(self["first_name"].value, self["last_name"].value, emails, phones, links, before.absent)

    def problems(self) -> list[tuple[str, str]]:
        """(id of the control, message) in the form's order."""
        found = [(field.id, field.errors) for field in (self.first_name, self.last_name)]
        for rows in self.lists.values():
            found.append((f"{rows.id}-add", rows.errors))
            found += [(field.id, field.errors) for row in rows for field in row]
        return [(name, str(errors[0])) for name, errors in (*found, (self.cv.id, self.cv.errors)) if errors]

    def hidden(self) -> list[tuple[str, str]]:
        """Everything typed as hidden fields, for the pages between the form and sending it."""
        fields = [(field.name, field.data or "") for field in (self.first_name, self.last_name)]
        for name, rows in self.lists.items():
            fields.append((f"{name}-rows", str(len(rows))))
            for row in rows:
                fields += [(field.name, field.data or "") for field in (row.value, row.kind)]
                fields += [(row.is_primary.name, "true")] if row.is_primary.data else []
        return fields
