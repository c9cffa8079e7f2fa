"""The profile form preserves all entries through every step, whatever a browser or a program posts."""

from collections.abc import Iterator

import pytest
from flask import Flask
from flask_babel import Babel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from portal.delivery.record_changes.model import LISTS, ProfileEntry, Record
from portal.platform.crypto.sealing import folded
from portal.site.account.record_form import ROWS_MOST, RecordForm
from portal.tenants.model import Tenant, TrackerLink

ACME = Tenant("acme", "Acme", TrackerLink("http://127.0.0.1", "acme", "key"))
MEMBERS = {
    "emails": ("email", "purpose"),
    "phoneNumbers": ("phoneNumber", "purpose"),
    "socialMedia": ("url", "type"),
}
steady = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
typed = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = st.text("Aéİ李", min_size=1, max_size=20)


@pytest.fixture(autouse=True, scope="module")
def page() -> Iterator[None]:
    """The texts of a form require a request context."""
    app = Flask("words")
    Babel(app)
    with app.test_request_context():
        yield


@st.composite
def rows(draw: st.DrawFn, name: str) -> dict[str, str]:
    value, kind = MEMBERS[name]
    numbers = draw(st.sets(st.integers(0, 9999), max_size=4))
    fields = {f"{name}-rows": str(len(numbers))} if draw(st.booleans()) else {}
    for number in numbers:
        members = draw(st.fixed_dictionaries({value: typed}, optional={kind: typed, "isPrimary": typed}))
        fields |= {f"{name}-{number}-{member}": text for member, text in members.items()}
    return fields


posts = st.tuples(
    st.fixed_dictionaries({}, optional={"firstName": typed, "lastName": typed}), *(rows(name) for name in LISTS)
).map(lambda parts: MultiDict({key: value for part in parts for key, value in part.items()}))


def entries(email: bool) -> st.SearchStrategy[tuple[ProfileEntry, ...]]:
    one = st.builds(ProfileEntry, typed.filter(bool), st.none() | typed, is_primary=st.sampled_from([None, False]))
    several = st.lists(one, min_size=email, max_size=4, unique_by=lambda e: folded(e.value))
    return st.tuples(several, st.integers(0, 8)).map(
        lambda found: tuple(
            ProfileEntry(entry.value, entry.kind, is_primary=True if number == found[1] else entry.is_primary)
            for number, entry in enumerate(found[0])
        )
    )


records = st.builds(Record, names, names, entries(True), entries(False), entries(False))
actions = st.builds(
    "{}.{}".format,
    st.sampled_from(LISTS),
    st.just("add") | st.builds("{}.{}".format, st.sampled_from(["up", "down", "remove"]), st.integers(0, 5)),
)
Rows = dict[str, list[tuple[str, str, bool]]]


def shown(form: RecordForm) -> Rows:
    """Return the rows, numbered in order, each with the contract's field names."""
    found: Rows = {}
    for name, listed in form.lists.items():
        for number, row in enumerate(listed):
            at = tuple(f"{name}-{number}-{member}" for member in (*MEMBERS[name], "isPrimary"))
            assert tuple(field.name for field in row) == tuple(field.id for field in row) == at
        found[name] = [(row.value.data or "", row.kind.data or "", row.is_primary.data) for row in listed]
    return found


def carried(form: RecordForm) -> RecordForm:
    """Return the form on a page of the next step."""
    return RecordForm(MultiDict(form.hidden()))


@steady
@given(posts, records)
def test_entries_are_the_same_after_every_step(posted: MultiDict[str, str], record: Record):
    form = RecordForm(posted)
    form.take_untouched(record)
    again = carried(form)
    assert again.hidden() == form.hidden()
    assert shown(again) == shown(form)
    assert not again.untouched
    assert (again.first_name.data, again.last_name.data) == (posted.get("firstName", ""), posted.get("lastName", ""))


@steady
@given(posts)
def test_rows_are_in_the_order_of_their_numbers_and_missing_differs_from_empty(posted):
    form = RecordForm(posted)
    for name, (value, _) in MEMBERS.items():
        keys = [key for key in posted if key.startswith(f"{name}-") and key.endswith(f"-{value}")]
        in_order = sorted(keys, key=lambda key: int(key.split("-")[1]))
        assert [row[0] for row in shown(form)[name]] == [posted[key] for key in in_order]
        assert form.lists[name].untouched == (not keys and posted.get(f"{name}-rows") != "0")


@steady
@given(
    posts,
    st.dictionaries(
        st.sampled_from(
            ["emails-²-email", "emails-10000-email", "emails-00-email", "emails--email", "emails-1", "emails", "cv"]
        )
        | st.text(max_size=10).map("emails-1-x{}".format)
        | st.text(max_size=10).map("x-{}".format),
        typed,
    ),
)
def test_an_unknown_field_is_ignored(posted: MultiDict[str, str], unknown: dict[str, str]):
    assert RecordForm(MultiDict({**posted, **unknown})).hidden() == RecordForm(posted).hidden()


@steady
@given(posts, st.lists(actions, max_size=8))
def test_a_button_adds_removes_or_moves_one_row_and_changes_no_other(posted: MultiDict[str, str], wanted: list[str]):
    form = RecordForm(posted)
    for action in wanted:
        expected = shown(form)
        after(action, expected)
        focus = form.act(action)
        assert shown(form) == shown(carried(form)) == expected
        controls = {row.value.id for listed in form.lists.values() for row in listed}
        assert focus in controls | {f"{name}-add" for name in LISTS if not expected[name]}


def after(action: str, listed: Rows) -> None:
    """Return the expected result on plain lists."""
    name, what, *place = action.split(".")
    found, at = listed[name], int((place or ["0"])[0])
    if what == "add":
        found.append(("", "PROFESSIONAL_NETWORK" if name == "socialMedia" else "personal", not found))
    elif at < len(found):
        row = found.pop(at)
        if what != "remove":
            found.insert(max(0, at - 1) if what == "up" else at + 1, row)


@steady
@given(typed)
def test_an_unknown_button_does_nothing(wanted: str):
    form = RecordForm(MultiDict({"emails-0-email": "a"}))
    assert form.act(wanted) is None
    assert shown(form)["emails"] == [("a", "", False)]


@steady
@given(records)
def test_an_unchanged_profile_is_submitted_as_it_was_received(record: Record):
    form = carried(RecordForm(None, obj=record))
    assert form.record(record, ACME) == record, form.problems()


def test_the_number_of_rows_added_by_the_button_is_limited():
    form = RecordForm(MultiDict({f"phoneNumbers-{number}-phoneNumber": "1" for number in range(ROWS_MOST - 1)}))
    assert form.act("phoneNumbers.add") == form.act("phoneNumbers.add") == f"phoneNumbers-{ROWS_MOST - 1}-phoneNumber"
    assert len(form.phones) == ROWS_MOST


def test_each_invalid_field_is_marked_separately():
    fields = {
        "firstName": "Ada",
        "emails-0-email": "ada@people.example",
        "emails-0-isPrimary": "true",
        "emails-1-email": "ADA@people.example",
        "emails-1-isPrimary": "true",
        "phoneNumbers-0-phoneNumber": "030 1234567",
        "phoneNumbers-0-purpose": "k" * 101,
        "socialMedia-0-url": "ftp://network.example",
    }
    form = RecordForm(MultiDict(fields))
    assert form.record(Record("Ada", "Lovelace"), ACME) is None
    assert [name for name, _ in form.problems()] == [
        "lastName",
        "emails-1-email",
        "emails-1-isPrimary",
        "phoneNumbers-0-phoneNumber",
        "phoneNumbers-0-purpose",
        "socialMedia-0-url",
    ]
    assert dict(form.hidden()).items() >= fields.items()
