"""If the history entry of a sign-in cannot be written, there is no session, and the code stays valid."""

import pytest
import sqlalchemy as sa

from portal.people.index.history import HistoryEventKind
from portal.people.signin.tables import sessions
from tests.builders import Portal
from tests.site.account.candidate import Visitor, candidate, code_in, mailbox
from tests.site.account.test_a_withdrawal_and_its_history_entry_are_atomic import history_cannot_be_written, notes


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    return on_each


def open_sessions(acme: Portal) -> list[str | None]:
    with acme.parts.database.read() as connection:
        return list(connection.scalars(sa.select(sessions.c.candidate)))


def test_a_sign_in_fails_if_its_history_entry_cannot_be_written(acme: Portal, ada: Visitor):
    ada.ask("ada@people.example")
    code = code_in(mailbox(acme)[-1])
    form = ada.get("/profile/code")
    with history_cannot_be_written(acme):
        assert ada.post("/profile/code", form, code=code).status_code in {500, 503}
    assert open_sessions(acme) == []
    assert notes(acme) == []
    assert ada.post("/profile/code", form, code=code).status_code == 303
    assert len(open_sessions(acme)) == 1
    assert notes(acme) == [HistoryEventKind.SIGNED_IN]


def test_the_choice_between_several_profiles_is_recorded_with_the_sign_in(acme: Portal, ada: Visitor):
    acme.service.load("acme", [candidate("second-candidate", firstName="Augusta")])
    acme.parts.clock.pass_time(100)
    acme.work.index_what_is_due()
    ada.sign_in()
    assert notes(acme) == []
    page = ada.get("/profile/record")
    first = next(one.attrib["value"] for one in page.all("input") if one.get("name") == "record")
    with history_cannot_be_written(acme):
        assert ada.post("/profile/record", page, record=first).status_code in {500, 503}
    assert open_sessions(acme) == [None]
    assert ada.post("/profile/record", page, record=first).status_code == 303
    assert notes(acme) == [HistoryEventKind.SIGNED_IN]
