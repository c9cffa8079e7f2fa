"""After a brief outage of a service or mail server, affected items are sent as soon as it responds."""

from pathlib import Path

import sqlalchemy as sa

from portal.background.mails import queue as mail_queue
from portal.background.outbox import health
from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import lanes
from tests.delivery.scene import Scene
from tests.delivery.scene import scene as open_scene
from tests.parts.smtp import running_smtp
from tests.site.apply.applicant import Page

SECONDS = 20


def test_sixteen_applications_arrive_within_twenty_seconds_of_an_outage_of_five(scene: Scene):
    scene.acme.down()
    references = [scene.apply(f"p{n}") for n in range(16)]
    scene.deliver()
    scene.deliver(after=4)
    scene.acme.up()
    for _ in range(SECONDS - 4):
        scene.deliver(after=1)
    assert {scene.overview(one).state for one in references} == {OutboxState.DELIVERED}
    assert scene.acme.counts() == dict.fromkeys(references, 1)


def test_all_mail_is_sent_within_ten_seconds_of_an_outage_of_two(portal_url: str, tmp_path: Path):
    with running_smtp() as smtp, open_scene(tmp_path / "scene", portal_url, mail=smtp.address) as scene:
        smtp.answer_to = lambda _: "421 4.3.2 closing"
        for name, tenant in (("ada", "acme"), ("eve", "globex"), ("ana", "acme")):
            scene.apply(name, tenant=tenant)
        scene.deliver()
        assert mail_queue.LANE in health.pauses_left(scene.parts.database, scene.clock.now())
        smtp.answer_to = lambda _: None
        for _ in range(10):
            scene.deliver(after=1)
        assert {to for _, receivers in smtp.envelopes for to in receivers} == {
            "ada@people.example", "eve@people.example", "ana@people.example",
        }  # fmt: skip
        assert health.pauses_left(scene.parts.database, scene.clock.now()) == {}


def test_an_expired_code_does_not_end_an_outage_of_the_mail_server(portal_url: str, tmp_path: Path):
    with running_smtp() as smtp, open_scene(tmp_path / "scene", portal_url, mail=smtp.address) as scene:
        scene.work.index_what_is_due()
        smtp.answer_to = lambda _: "421 4.3.2 closing"
        with scene.browser() as client:
            asked = {**Page(client.get("/acme/profile")).hidden, "email": "ada@people.example"}
            client.post("/acme/profile", files={name: (None, value) for name, value in asked.items()})
        scene.deliver()
        assert failures_of_mail(scene) == 1
        scene.deliver(after=scene.parts.settings.code_ttl + 1)
        assert failures_of_mail(scene) == 1, "no request was sent, so none succeeded"


def failures_of_mail(scene: Scene) -> int:
    query = sa.select(sa.func.coalesce(sa.func.max(lanes.c.failures), 0)).where(
        lanes.c.lane.startswith(mail_queue.LANE)
    )
    with scene.parts.database.read() as connection:
        return int(connection.execute(query).scalar_one())
