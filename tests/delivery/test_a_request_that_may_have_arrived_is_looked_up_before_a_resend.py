"""A request that may have arrived is looked up at the service (§4.6); another person's application does not match."""

from datetime import timedelta

import pytest

from portal.background.outbox.claim import claim
from portal.background.outbox.heartbeat import EVERY, Heartbeat
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.states import OutboxState
from tests.delivery.scene import AMBIGUOUS, Scene
from tests.delivery.service import OPTIONAL, Deed, refused, taken, vacancy
from tests.parts.misbehaving import answer, reset

LATER = AMBIGUOUS + 5


def taken_and_unanswered() -> Deed:
    return Deed(takes=True, says=reset())


def test_an_application_that_arrived_is_not_sent_again(scene: Scene):
    scene.acme.honours_keys = False
    scene.acme.plan(taken_and_unanswered(), taken())
    reference = scene.apply()
    scene.deliver()
    scene.deliver(after=LATER)
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert scene.acme.counts() == {reference: 1}
    assert (scene.acme.read_back, len(scene.acme.posted)) == (1, 1)


def leased_by_a_killed_worker(scene: Scene, *, sent: bool) -> None:
    """Another worker leased what is due and was killed, perhaps after it had sent it; a third one has noticed."""
    database, clock = scene.parts.database, scene.clock
    gone, witness = Heartbeat(database, clock), Heartbeat(database, clock)
    gone.beat()
    (claimed,) = claim(database, ["application"], Policy(), clock.now(), most=10, worker=gone.id)
    if sent:
        scene.work._deliveries["application"].deliver(claimed)
    for _ in range(4):
        witness.beat()
        clock.pass_time(EVERY)
    assert claim(database, ["application"], Policy(), clock.now(), most=0, worker=witness.id) == []


def test_an_application_sent_by_a_killed_worker_is_found_immediately(scene: Scene):
    scene.acme.honours_keys = False
    reference = scene.apply()
    leased_by_a_killed_worker(scene, sent=True)
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert (scene.acme.read_back, len(scene.acme.posted)) == (1, 1)


def test_an_application_not_sent_by_a_killed_worker_is_looked_up_and_sent_after_the_pause(scene: Scene):
    reference = scene.apply()
    leased_by_a_killed_worker(scene, sent=False)
    scene.deliver()
    assert (scene.acme.read_back, scene.acme.posted) == (1, [])
    assert scene.overview(reference).state is OutboxState.AMBIGUOUS
    scene.deliver(after=AMBIGUOUS - 1)
    assert scene.acme.posted == []
    scene.deliver(after=1)
    assert scene.acme.counts() == {reference: 1}
    assert scene.overview(reference).attempts == 2


def test_without_a_readable_list_it_is_sent_again_under_the_same_key(scene: Scene):
    scene.acme.shows_applications = False
    scene.acme.plan(taken_and_unanswered(), taken())
    reference = scene.apply()
    scene.deliver()
    scene.deliver(after=LATER)
    assert [one.reference for one in scene.acme.posted] == [reference, reference]
    assert scene.acme.posted[0].body == scene.acme.posted[1].body
    assert scene.acme.counts() == {reference: 1}


def test_without_keys_and_without_a_list_one_ambiguous_event_is_one_duplicate_at_most(scene: Scene):
    scene.acme.shows_applications = scene.acme.honours_keys = False
    scene.acme.plan(taken_and_unanswered(), taken())
    reference = scene.apply()
    scene.deliver()
    scene.deliver(after=LATER)
    scene.deliver(after=LATER)
    assert scene.acme.counts() == {reference: 2}


def test_an_older_application_of_the_same_person_does_not_match(scene: Scene):
    scene.acme.plan(refused(reset()), taken())
    reference = scene.apply()
    scene.acme.has.append(scene.acme.posted[0] if scene.acme.posted else _from_elsewhere())
    scene.acme.at["ada@people.example"] = scene.clock.now() - timedelta(days=30)
    scene.deliver()
    scene.deliver(after=LATER)
    assert scene.acme.counts()[reference] == 1


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("path", OPTIONAL)
def test_an_older_application_does_not_match_without_the_optional_members(scene: Scene, path: str):
    scene.acme.leaves_out = {path}
    scene.acme.plan(refused(reset()), taken())
    scene.acme.has.append(_from_elsewhere())
    scene.acme.at["ada@people.example"] = scene.clock.now() - timedelta(days=30)
    reference = scene.apply()
    scene.deliver()
    scene.deliver(after=LATER)
    assert scene.acme.read_back == 1
    assert scene.acme.counts()[reference] == 1


def test_her_first_application_does_not_match_her_second(scene: Scene):
    first = scene.apply()
    scene.deliver()
    second = scene.apply(phoneNumber="030 7654321")
    scene.acme.plan(refused(reset()), taken())
    scene.deliver()
    scene.deliver(after=LATER)
    assert scene.acme.counts() == {first: 1, second: 1}


BY_HAND = {
    "type": "applicationCreated",
    "isInbound": False,
    "triggeredByUserId": "u1",
    "date": "2100-01-01T00:00:00Z",
}


@pytest.mark.parametrize(
    "activity",
    [
        None,
        BY_HAND,
        {**BY_HAND, "isInbound": None, "triggeredByUserId": None},
        {**BY_HAND, "isInbound": True},
        {**BY_HAND, "isInbound": True, "triggeredByUserId": None, "type": None},
        {**BY_HAND, "isInbound": True, "triggeredByUserId": None, "date": None},
    ],
    ids=["nothing is told", "by hand", "inbound left out", "by somebody", "type left out", "date left out"],
)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_an_application_that_a_recruiter_may_have_entered_does_not_match(
    scene: Scene, activity: dict[str, object] | None
):
    """Only a proven match counts, whatever the service leaves out; otherwise her CV would never be sent."""
    scene.acme.plan(refused(reset()), taken())
    hers = scene.apply()
    entered = {"id": "a1", "candidate": {"id": "c1", "emails": ["ada@people.example"]}}
    shown = entered | ({"latestActivity": activity} if activity else {})
    scene.acme.listing = answer({"vacancy": vacancy("job-1"), "applications": [shown]})
    scene.deliver()
    scene.deliver(after=LATER)
    assert scene.acme.read_back == 1
    assert scene.acme.counts() == {hers: 1}


def test_another_persons_application_does_not_match(scene: Scene):
    scene.apply("eve")
    scene.deliver()
    scene.acme.plan(refused(reset()), taken())
    hers = scene.apply("ada")
    scene.deliver()
    scene.deliver(after=LATER)
    assert scene.acme.counts()[hers] == 1


def test_an_unavailable_list_is_waited_for_but_not_for_ever(scene: Scene):
    scene.acme.plan(taken_and_unanswered(), taken())
    scene.acme.listing = answer(status=503)
    reference = scene.apply()
    scene.deliver()
    scene.deliver(after=LATER)
    assert len(scene.acme.posted) == 1
    for _ in range(5):
        scene.deliver(after=3_600)
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert len(scene.acme.posted) == 2


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_posting_id_in_an_attribute_is_looked_up_by_its_vacancy(scene: Scene):
    from portal.jobs.posting import vacancy_id
    from tests.delivery.scene import tenant_file

    text = tenant_file("acme", scene.acme.url, key=scene.folder / "key")
    text = text.replace('stages = ["Open"]', 'stages = ["Open"]\nposting_id = "attribute:ref"')
    (scene.folder / "tenants" / "acme.toml").write_text(text)
    scene.clock.pass_time(60)
    acme = scene.parts.tenants.get("acme")
    assert acme is not None
    assert acme.publish.posting_attribute == "ref"
    assert vacancy_id(scene.parts.database, acme, "nothing-of-that-id") is None


def _from_elsewhere():
    from tests.delivery.service import Posted

    return Posted("acme", "job-1", "from another site", {"email": "ada@people.example"})
