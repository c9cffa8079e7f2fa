"""`portal submissions` covers changes of records: notified by email, listed, shown, retried, discarded."""

import json
from datetime import timedelta

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.record_changes.kind import CHANGE
from tests.delivery.record_changes.change_scene import ChangeScene
from tests.site.account.candidate import CANARY, mailbox, text


def to_operator(scene: ChangeScene) -> list[str]:
    return [text(one) for one in mailbox(scene.portal) if one["To"] == "jobs@acme.example"]


def test_the_list_names_the_change_and_nothing_personal(scene: ChangeScene):
    reference = scene.send("Augusta")
    scene.kill()
    (listed,) = json.loads(scene.operator("submissions", "list", "--state", "dead", "--json").stdout)
    assert (listed["kind"], listed["reference"], listed["state"]) == ("profile change", reference, "dead")
    assert (listed["tenant"], listed["postingId"], listed["lastFailure"]) == ("acme", None, "Rejected")
    shown = scene.operator("submissions", "show", reference).stdout
    everything = scene.operator("submissions", "list").stdout + shown + json.dumps(listed)
    assert everything.count(reference) == 3
    for secret in (CANARY, "Augusta", "ada@", scene.ada().key):
        assert secret not in everything


def test_a_retry_sends_what_the_candidate_wrote(scene: ChangeScene):
    reference = scene.send("Augusta")
    scene.kill()
    assert scene.operator("submissions", "retry", reference).exit_code == 0
    scene.deliver(after=60 * 60 * 24 * 400)
    assert (scene.state(reference), scene.relay.sent) == ("delivered", ["Augusta"])
    assert not scene.kept(reference)


def test_a_retry_never_overwrites_a_later_change(scene: ChangeScene):
    old = scene.send("Augusta")
    scene.kill()
    scene.send("Ada Augusta")
    refused = scene.operator("submissions", "retry", old)
    assert refused.exception
    assert "later profile change" in str(refused.exception)
    scene.deliver()
    assert scene.relay.sent == ["Ada Augusta"]


def test_discarding_a_change_erases_its_content_and_its_cv(scene: ChangeScene):
    reference = scene.send("Augusta", cv=b"Notes on the Analytical Engine.\n" * 20)
    scene.kill()
    assert len(list(scene.portal.parts.store.keys("acme/"))) == 1
    assert scene.kept(reference)
    assert scene.operator("submissions", "discard", reference).exit_code == 0
    assert not scene.kept(reference)
    assert list(scene.portal.parts.store.keys("acme/")) == []
    (listed,) = json.loads(scene.operator("submissions", "list", "--json").stdout)
    assert (listed["state"], listed["purgedAt"] is not None) == ("discarded", True)
    assert scene.operator("submissions", "discard", reference).exception


def test_the_operator_is_notified_immediately_and_of_further_failures_in_one_digest(scene: ChangeScene):
    references = []
    for name in ("Augusta", "Byron", "King"):
        references.append(scene.send(name))
        with scene.db.write() as connection:
            its = outbox.c.subject == references[-1]
            connection.execute(outbox.update().where(its).values(state=OutboxState.DEAD, outcome="Rejected"))
            scene.portal.work._handlers[CHANGE.name].settled(connection, [references[-1]], OutboxState.DEAD, "Rejected")
        scene.deliver()
    assert len(to_operator(scene)) == 1
    assert references[0] in to_operator(scene)[0]
    scene.deliver(after=timedelta(hours=1).total_seconds())
    told, digest = to_operator(scene)
    assert all(reference in digest for reference in references[1:])
    assert "send them again" in told
    assert "portal submissions" not in told + digest  # the recipient runs no commands
    assert "Augusta" not in told + digest


def test_a_replaced_change_counts_as_not_sent(scene: ChangeScene):
    reference = scene.send("Augusta", cv=b"Notes on the Analytical Engine.\n" * 20)
    from tests.site.account.candidate import candidate

    scene.portal.service.load("acme", [candidate(firstName="Somebody", phoneNumbers=None, socialMedia=None)])
    scene.deliver(after=1)
    shown = json.loads(scene.operator("submissions", "show", reference, "--json").stdout)
    assert (shown["state"], shown["lastFailure"], scene.relay.sent) == ("discarded", "Overtaken", [])
    scene.portal.work.run_housekeeping()
    assert list(scene.portal.parts.store.keys("acme/")) == []
