"""`portal submissions` covers changes of records: notified by email, listed, shown, retried, discarded."""

import json
from datetime import timedelta

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.record_changes.kind import CHANGE
from tests.delivery.record_changes.desk import Desk
from tests.site.account.candidate import CANARY, mailbox, text


def to_operator(desk: Desk) -> list[str]:
    return [text(one) for one in mailbox(desk.portal) if one["To"] == "jobs@acme.example"]


def test_the_list_names_the_change_and_nothing_personal(desk: Desk):
    reference = desk.send("Augusta")
    desk.kill()
    (listed,) = json.loads(desk.operator("submissions", "list", "--state", "dead", "--json").stdout)
    assert (listed["kind"], listed["reference"], listed["state"]) == ("profile change", reference, "dead")
    assert (listed["tenant"], listed["postingId"], listed["lastFailure"]) == ("acme", None, "Rejected")
    shown = desk.operator("submissions", "show", reference).stdout
    everything = desk.operator("submissions", "list").stdout + shown + json.dumps(listed)
    assert everything.count(reference) == 3
    for secret in (CANARY, "Augusta", "ada@", desk.ada().key):
        assert secret not in everything


def test_a_retry_sends_what_the_candidate_wrote(desk: Desk):
    reference = desk.send("Augusta")
    desk.kill()
    assert desk.operator("submissions", "retry", reference).exit_code == 0
    desk.deliver(after=60 * 60 * 24 * 400)
    assert (desk.state(reference), desk.relay.sent) == ("delivered", ["Augusta"])
    assert not desk.kept(reference)


def test_a_retry_never_overwrites_a_later_change(desk: Desk):
    old = desk.send("Augusta")
    desk.kill()
    desk.send("Ada Augusta")
    refused = desk.operator("submissions", "retry", old)
    assert refused.exception
    assert "later profile change" in str(refused.exception)
    desk.deliver()
    assert desk.relay.sent == ["Ada Augusta"]


def test_discarding_a_change_erases_its_content_and_its_cv(desk: Desk):
    reference = desk.send("Augusta", cv=b"Notes on the Analytical Engine.\n" * 20)
    desk.kill()
    assert len(list(desk.portal.parts.store.keys("acme/"))) == 1
    assert desk.kept(reference)
    assert desk.operator("submissions", "discard", reference).exit_code == 0
    assert not desk.kept(reference)
    assert list(desk.portal.parts.store.keys("acme/")) == []
    (listed,) = json.loads(desk.operator("submissions", "list", "--json").stdout)
    assert (listed["state"], listed["purgedAt"] is not None) == ("discarded", True)
    assert desk.operator("submissions", "discard", reference).exception


def test_the_operator_is_notified_immediately_and_of_further_failures_in_one_digest(desk: Desk):
    references = []
    for name in ("Augusta", "Byron", "King"):
        references.append(desk.send(name))
        with desk.db.write() as connection:
            its = outbox.c.subject == references[-1]
            connection.execute(outbox.update().where(its).values(state=OutboxState.DEAD, outcome="Rejected"))
            desk.portal.work._handlers[CHANGE.name].settled(connection, [references[-1]], OutboxState.DEAD, "Rejected")
        desk.deliver()
    assert len(to_operator(desk)) == 1
    assert references[0] in to_operator(desk)[0]
    desk.deliver(after=timedelta(hours=1).total_seconds())
    told, digest = to_operator(desk)
    assert all(reference in digest for reference in references[1:])
    assert "send them again" in told
    assert "portal submissions" not in told + digest  # the recipient runs no commands
    assert "Augusta" not in told + digest


def test_a_replaced_change_counts_as_not_sent(desk: Desk):
    reference = desk.send("Augusta", cv=b"Notes on the Analytical Engine.\n" * 20)
    from tests.site.account.candidate import candidate

    desk.portal.service.load("acme", [candidate(firstName="Somebody", phoneNumbers=None, socialMedia=None)])
    desk.deliver(after=1)
    shown = json.loads(desk.operator("submissions", "show", reference, "--json").stdout)
    assert (shown["state"], shown["lastFailure"], desk.relay.sent) == ("discarded", "Overtaken", [])
    desk.portal.work.run_housekeeping()
    assert list(desk.portal.parts.store.keys("acme/")) == []
