"""The record as a form: lists whose rows are added, removed and moved by buttons of the form, without JavaScript.

Field names are the contract's (§5): `emails-0-email`, `emails-0-purpose`, `emails-0-isPrimary` and so on. Beside each
list stands how many rows were shown (`emails-rows`), so that a list which a program left out is told from one that was
emptied: what is not posted is not touched.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from flask_babel import gettext
from werkzeug.datastructures import MultiDict

from portal.contract import limits
from portal.profile.words import typed_wrong
from portal.records.model import EMAILS, LINKS, LISTS, PHONES, Entry, Record
from portal.sealing import folded
from portal.tenants.model import Tenant
from portal.web.fields import email_address, link, phone, text
from portal.web.fields.refusal import Refused

VALUE: Final = {EMAILS: "email", PHONES: "phoneNumber", LINKS: "url"}
KIND: Final = {EMAILS: "purpose", PHONES: "purpose", LINKS: "type"}
SAMPLE: Final = {EMAILS: "personal", PHONES: "personal", LINKS: "PROFESSIONAL_NETWORK"}
ROWS_MOST = 200
_KIND_LONGEST = 100
_FIELD = re.compile(r"(emails|phoneNumbers|socialMedia)-(\d{1,4})-(email|phoneNumber|url|purpose|type|isPrimary)")
_ACTION = re.compile(r"(emails|phoneNumbers|socialMedia)\.(?:(add)|(remove|up|down)\.(\d{1,4}))")
_NO = {"", "0", "false", "no", "off"}


@dataclass(slots=True)
class Row:
    """One entry as typed. error: what is wrong with it."""

    value: str = ""
    kind: str = ""
    is_primary: bool = False
    error: str = ""

    @property
    def shown(self) -> str:
        """What was typed, for showing again."""
        return text.displayable(self.value)


@dataclass(slots=True)
class RecordForm:
    """What was typed. untouched: lists that were not part of the post."""

    first_name: str = ""
    last_name: str = ""
    lists: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in LISTS})
    untouched: set[str] = field(default_factory=set)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, record: Record) -> "RecordForm":
        """The form that shows a record."""
        form = cls(record.first_name, record.last_name)
        for name in LISTS:
            form.lists[name] = _rows(record, name)
        return form

    @classmethod
    def posted(cls, fields: MultiDict[str, str]) -> "RecordForm":
        """The form that was posted; rows in the order of their numbers."""
        form = cls(fields.get("firstName", ""), fields.get("lastName", ""))
        found: dict[tuple[str, int], Row] = {}
        for key, value in fields.items():
            match = _FIELD.fullmatch(key)
            if match is None:
                continue
            name, member = match[1], match[3]
            row = found.setdefault((name, int(match[2])), Row())
            if member == VALUE[name]:
                row.value = value
            elif member == KIND[name]:
                row.kind = value
            elif member == "isPrimary":
                row.is_primary = value.strip().lower() not in _NO
        for (name, _), row in sorted(found.items(), key=lambda entry: entry[0][1]):
            form.lists[name].append(row)
        form.untouched = {n for n in LISTS if not form.lists[n] and fields.get(f"{n}-rows", "") != "0"}
        return form

    def take_untouched(self, record: Record) -> None:
        """Fill what was not posted with what the record has."""
        for name in self.untouched:
            self.lists[name] = _rows(record, name)

    def act(self, wanted: str) -> str | None:
        """Add, remove or move a row; the id of the field to go on with, None if it is no such action."""
        match = _ACTION.fullmatch(wanted)
        if match is None:
            return None
        name, place = match[1], int(match[4] or 0)
        rows = self.lists[name]
        if match[2]:
            if len(rows) < ROWS_MOST:
                rows.append(Row(kind=SAMPLE[name], is_primary=not rows))
            return f"{name}-{len(rows) - 1}-{VALUE[name]}"
        if place < len(rows):
            row = rows.pop(place)
            if match[3] != "remove":
                place = max(0, place - 1) if match[3] == "up" else place + 1
                rows.insert(place, row)
        return f"{name}-{min(place, len(rows) - 1)}-{VALUE[name]}" if rows else f"{name}-add"

    def record(self, before: Record, tenant: Tenant) -> Record | None:
        """What is meant, or None: then `errors` and rows say what is wrong. What did not change stays as it came."""
        first = self._name("firstName", self.first_name, gettext("Enter your first name."))
        last = self._name("lastName", self.last_name, gettext("Enter your last name."))
        entries = {name: self._entries(name, before, tenant) for name in LISTS}
        if not entries[EMAILS] and not self.problems():
            self.errors[EMAILS] = gettext("Keep at least one e-mail address: it is how you sign in.")
        if self.problems():
            return None
        return Record(first, last, entries[EMAILS], entries[PHONES], entries[LINKS], before.absent)

    def problems(self) -> list[tuple[str, str]]:
        """(id of the field, message) in the form's order."""
        found: list[tuple[str, str]] = [(k, self.errors[k]) for k in ("firstName", "lastName") if k in self.errors]
        for name in LISTS:
            if name in self.errors:
                found.append((f"{name}-add", self.errors[name]))
            found += [(f"{name}-{n}-{VALUE[name]}", r.error) for n, r in enumerate(self.lists[name]) if r.error]
        return found

    def hidden(self) -> list[tuple[str, str]]:
        """Everything typed as hidden fields, for the pages between the form and sending it."""
        fields = [("firstName", self.first_name), ("lastName", self.last_name)]
        for name in LISTS:
            fields.append((f"{name}-rows", str(len(self.lists[name]))))
            for number, row in enumerate(self.lists[name]):
                fields += [(f"{name}-{number}-{VALUE[name]}", row.value), (f"{name}-{number}-{KIND[name]}", row.kind)]
                if row.is_primary:
                    fields.append((f"{name}-{number}-isPrimary", "true"))
        return fields

    def _name(self, key: str, typed: str, missing: str) -> str:
        try:
            return text.required(typed, longest=limits.NAME_MAX)
        except Refused as why:
            self.errors[key] = typed_wrong(why, missing)
            return ""

    def _entries(self, name: str, before: Record, tenant: Tenant) -> tuple[Entry, ...]:
        known = {entry.value: entry for entry in before.entries(name)}
        rows = [row for row in self.lists[name] if row.value.strip()]
        found: list[Entry] = []
        seen: set[str] = set()
        for row in rows:
            try:
                value = row.value if row.value in known else _parsed(name, row.value, tenant)
                kind = text.single_line(row.kind, longest=_KIND_LONGEST) or None
            except Refused as why:
                row.error = typed_wrong(why, "")
                continue
            same = folded(value) if name == EMAILS else value
            if same in seen:
                row.error = gettext("This is here twice. Remove one of them.")
                continue
            seen.add(same)
            was = known.get(value)
            unmarked = was.is_primary if was and not was.is_primary else False
            found.append(Entry(value, kind, is_primary=True if row.is_primary else unmarked))
        self._check_primary(rows)
        return _with_a_primary(found, before.entries(name))

    def _check_primary(self, rows: list[Row]) -> None:
        for row in [row for row in rows if row.is_primary][1:]:
            row.error = row.error or gettext("Another one is marked as primary already. Mark one only.")


def _with_a_primary(found: list[Entry], before: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The first one is primary where none is marked; a list that never had one and did not change stays so."""
    if not found or any(entry.is_primary for entry in found):
        return tuple(found)
    if [(e.value, e.kind) for e in found] == [(e.value, e.kind) for e in before] and not any(
        e.is_primary for e in before
    ):
        return tuple(found)
    return (Entry(found[0].value, found[0].kind, is_primary=True), *found[1:])


def _parsed(name: str, typed: str, tenant: Tenant) -> str:
    if name == EMAILS:
        return email_address.parse(typed)
    if name == PHONES:
        return phone.parse(typed, regions=(tenant.apply.phone_region,))
    return link.parse(typed) or ""


def _rows(record: Record, name: str) -> list[Row]:
    return [Row(entry.value, entry.kind or "", bool(entry.is_primary)) for entry in record.entries(name)]
