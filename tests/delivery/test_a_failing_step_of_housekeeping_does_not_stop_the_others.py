"""Housekeeping consists of independent steps: a file storage or mail server outage does not prevent the others."""

import sqlalchemy as sa

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.uploads.tables import uploads
from tests.delivery.scene import Scene

DAY = 86_400


def test_a_storage_outage_does_not_prevent_erasure(scene: Scene):
    reference = scene.apply()
    scene.deliver()
    with scene.parts.database.write() as connection:
        lost = {"handle": "f" * 32, "tenant": "acme", "form_id": "e" * 32, "key": "acme/lost", "sealed": "-", "size": 1}
        connection.execute(uploads.insert().values(**lost, media_type="text/plain", created_at=scene.clock.now()))
    scene.clock.pass_time(8 * DAY)
    folder = scene.folder / "attachments"
    folder.rename(scene.folder / "away")
    folder.write_text("in the way")
    scene.work.run_housekeeping()
    assert scene.overview(reference).state is OutboxState.PURGED
    with scene.parts.database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(outbox)).scalar_one() == 0
        assert connection.execute(sa.select(uploads.c.handle)).scalars().all() == ["f" * 32]


def test_an_error_in_the_first_step_does_not_prevent_the_last(scene: Scene):
    scene.apply()
    with scene.parts.database.write() as connection:
        connection.execute(sa.text("ALTER TABLE outbox_lanes RENAME TO gone"))
        connection.execute(uploads.update().values(claimed_by=None, created_at=scene.clock.now()))
    scene.clock.pass_time(2 * DAY)
    scene.work.run_housekeeping()
    assert list(scene.parts.store.keys("acme/")) == []
