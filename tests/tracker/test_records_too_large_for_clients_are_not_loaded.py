"""A load stops at a record that is larger than the portal's client accepts, and names it with the reason."""

import pytest

from portal.contract import bounds
from portal.platform.errors import SettingsError
from tests.tracker.office import Json, Office


def candidate(emails: int, of_each: int = 1) -> Json:
    entry: Json = {"email": "a@b.example", "purpose": "work", "isPrimary": False}
    entries = [dict(list(entry.items())[:of_each])] * emails
    return {"id": "c1", "emails": {"emails": entries}}


def test_a_list_with_too_many_entries_is_not_loaded(office: Office):
    """A non-empty entry has at least two values, so the limit of values applies a little earlier."""
    vacancy: Json = {"id": "v1", "customAttributes": [{"options": ["x"] * bounds.RECORD_LIST_MAX}]}
    assert office.load(("vacancy", vacancy)) == 1
    vacancy["customAttributes"][0]["options"].append("x")
    with pytest.raises(SettingsError, match=r"line 1: vacancy /customAttributes/0/options: .* at most 2500 items"):
        office.load(("vacancy", vacancy))


def test_a_record_with_too_many_values_is_not_loaded(office: Office):
    fits = (bounds.VALUES_MAX - 3) // 4
    assert office.load(("candidate", candidate(fits, 3))) == 1
    assert len(office.candidates()[0]["emails"]["emails"]) == fits
    with pytest.raises(SettingsError, match="line 1: candidate: it holds more than 5000 values"):
        office.load(("candidate", candidate(fits + 1, 3)))


def test_a_record_nested_too_deep_is_not_loaded(office: Office):
    def deep(levels: int) -> Json:
        value: object = 1
        for _ in range(levels - 3):
            value = [value]
        return {"id": "v1", "customAttributes": [{"value": value}]}

    assert office.load(("vacancy", deep(bounds.DEPTH_MAX - 1))) == 1
    with pytest.raises(SettingsError, match="line 1: vacancy: it is nested more than 32 deep"):
        office.load(("vacancy", deep(bounds.DEPTH_MAX + 1)))
