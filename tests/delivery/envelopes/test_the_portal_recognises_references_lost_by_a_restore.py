"""The portal recognises its own references, with their hour and job; they reveal nothing to others."""

from datetime import UTC, datetime, timedelta

import pytest

from portal.delivery.envelopes.references import find_lost, new_reference, record_restore
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database

SEAL = Seal("s" * 32)
BACKUP = datetime(2026, 3, 1, 10, 30, tzinfo=UTC)
RESTORE = BACKUP + timedelta(hours=6)


def _given(after: timedelta = timedelta(hours=2), seal: Seal = SEAL, job: str | None = "nurse-1") -> str:
    return new_reference(seal, tenant="acme", kind="application", posting_id=job, now=BACKUP + after)


@pytest.fixture
def restored(database: Database) -> Database:
    record_restore(database, taken_at=BACKUP, restored_at=RESTORE)
    return database


def _find(database: Database, reference: str, *, tenant: str = "acme", kind: str = "application", seal: Seal = SEAL):
    return find_lost(
        database, seal, tenant=tenant, kind=kind, reference=reference, retention=timedelta(days=30), now=RESTORE
    )


def test_a_reference_issued_between_backup_and_restore_is_reported_as_lost(restored: Database):
    found = _find(restored, _given())
    assert found is not None
    assert found.may_concern("nurse-1")
    assert not found.may_concern("nurse-2")


@pytest.mark.parametrize("after", [timedelta(hours=-1), timedelta(hours=7)], ids=["before", "since"])
def test_a_reference_issued_at_another_time_is_not_reported_as_lost(restored: Database, after: timedelta):
    assert _find(restored, _given(after)) is None


@pytest.mark.parametrize(("hours", "forgotten"), [(-1, True), (0, True), (1, False)])
def test_a_reference_older_than_the_retention_is_reported_as_erased_despite_a_restore(
    restored: Database, hours: int, *, forgotten: bool
):
    given = RESTORE - timedelta(days=30) + timedelta(hours=hours)
    record_restore(restored, taken_at=given - timedelta(hours=3), restored_at=given + timedelta(hours=3))
    found = _find(restored, _given(given - BACKUP))
    assert found is not None
    assert found.retention == (timedelta(days=30) if forgotten else None)


def test_no_reference_is_reported_as_lost_without_a_restore(database: Database):
    assert _find(database, _given()) is None


def test_a_reference_in_lower_case_is_recognised(restored: Database):
    assert _find(restored, _given().lower())


def test_a_reference_is_recognised_after_a_change_of_the_secret_key(restored: Database):
    assert _find(restored, _given(), seal=Seal("n" * 32, ["s" * 32]))


@pytest.mark.parametrize(
    "reference",
    ["", "A" * 20, "2" * 21, "É" * 20, "ß" * 10, "ſ" * 20, "0" * 20, "\N{FULLWIDTH DIGIT TWO}" * 20, "A\0" * 10],
)
def test_an_invented_reference_is_not_recognised(restored: Database, reference: str):
    assert _find(restored, reference) is None


def test_a_reference_of_another_company_kind_or_portal_is_not_recognised(restored: Database):
    assert _find(restored, _given(), tenant="globex") is None
    assert _find(restored, _given(), kind="change") is None
    assert _find(restored, _given(seal=Seal("o" * 32))) is None


def test_a_reference_reveals_no_private_information():
    assert len({_given(job=None)[4:7] for _ in range(20)}) > 1


def test_a_thousand_references_are_distinct():
    assert len({_given() for _ in range(1_000)}) == 1_000
