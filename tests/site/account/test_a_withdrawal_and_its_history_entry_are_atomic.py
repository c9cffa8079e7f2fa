"""If the history entry of a withdrawal cannot be written, nothing is withdrawn, and no request is sent."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from portal.background.outbox.tables import outbox
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.privacy_requests import requests
from portal.people.index import history
from portal.people.index.history import HistoryEventKind
from portal.people.index.tables import candidates
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor
from tests.site.apply.applicant import Applicant


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    return on_each


@contextmanager
def history_cannot_be_written(acme: Portal) -> Iterator[None]:
    """Make every write to the history fail."""
    for here, there in (("record_history", "aside"), ("aside", "record_history")):
        with acme.parts.database.write() as connection:
            connection.execute(sa.text(f"ALTER TABLE {here} RENAME TO {there}"))
        if there == "aside":
            yield


def delivery_state(acme: Portal, reference: str) -> tuple[object, ...]:
    with acme.parts.database.read() as connection:
        row = connection.execute(sa.select(deliveries).where(deliveries.c.reference == reference)).one()
        state = connection.execute(sa.select(outbox.c.state).where(outbox.c.subject == reference)).scalar_one()
    return row.withdrawn_at, row.erased_at, row.sealed is not None, state


def notes(acme: Portal) -> list[HistoryEventKind]:
    with acme.parts.database.read() as connection:
        keys = list(connection.execute(sa.select(candidates.c.key)).scalars())
    return [one.what for one in history.lately(acme.parts.database, tenant="acme", keys=keys)]


def test_a_withdrawal_fails_if_its_history_entry_cannot_be_written(acme: Portal, ada: Visitor):
    ada.sign_in()
    with acme.browser() as client:
        reference = Applicant(client).receipt(email=ADA).rsplit("/", 1)[1]
    path = f"/profile/applications/{reference}/withdraw"
    form = ada.get(path)
    before = delivery_state(acme, reference)
    with history_cannot_be_written(acme):
        assert ada.post(path, form).status_code in {500, 503}
    assert delivery_state(acme, reference) == before
    assert requests.all_open(acme.parts.database) == []
    assert HistoryEventKind.WITHDRAWN not in notes(acme)
    assert ada.post(path, form).status_code == 303
    assert delivery_state(acme, reference)[-1] == "discarded"
    assert len(requests.all_open(acme.parts.database)) == 1
    assert notes(acme).count(HistoryEventKind.WITHDRAWN) == 1
