"""A unique value in every field, searched for in all files of the data folder while a real worker delivers it."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.background.mails.tables import letters
from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.kinds import KINDS
from tests.delivery.scene import Scene
from tests.delivery.scene import scene as open_scene
from tests.delivery.service import refused
from tests.parts.misbehaving import answer
from tests.parts.process import free_port, read_by_another

DAY = 86_400
CANARY = "Xanthippecanary"


def apply_with_unique_values(scene: Scene) -> str:
    everything = {"firstName": CANARY, "lastName": CANARY, "city": CANARY, "region": CANARY, "postalCode": "X4N"}
    return scene.apply(CANARY, networkUrl=f"https://{CANARY}.example/in", **everything)


def where(folder: Path) -> set[str]:
    """Return the data files that contain it, except sent mail."""
    files = [path for path in folder.rglob("*") if path.is_file() and "mail" not in path.parts]
    return {path.name for path in files if CANARY.lower() in read_by_another(path).decode("latin-1").lower()}


def files_with(folder: Path, text: bytes) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and text in read_by_another(path)]


@pytest.fixture
def database_kind() -> str:
    return "sqlite"


def kept(scene: Scene) -> int:
    """Return deliveries and emails with encrypted contents."""
    with scene.parts.database.read() as connection:
        return sum(
            connection.execute(sa.select(sa.func.count(table.c.sealed)).select_from(table)).scalar_one()
            for table in (deliveries, letters)
        )


def test_no_data_is_stored_in_clear_at_any_time(scene: Scene, tmp_path: Path):
    apply_with_unique_values(scene)
    assert kept(scene) == 2
    assert where(tmp_path) == set()


def test_a_delivered_application_is_erased_after_its_retention_and_not_before(scene: Scene, tmp_path: Path):
    reference = apply_with_unique_values(scene)
    scene.deliver()
    scene.clock.pass_time(7 * DAY - 60)
    scene.work.run_housekeeping()
    assert kept(scene) == 1
    scene.clock.pass_time(120)
    scene.work.run_housekeeping()
    assert kept(scene) == 0
    assert where(tmp_path) == set()
    assert scene.overview(reference).state is OutboxState.PURGED
    assert len(list(scene.parts.store.keys("acme/"))) == 1


def test_a_receipt_email_that_was_never_sent_is_erased_too(tmp_path: Path, portal_url: str):
    with open_scene(tmp_path / "s", portal_url, mail=f"smtp://127.0.0.1:{free_port()}") as scene:
        apply_with_unique_values(scene)
        scene.deliver()
        scene.deliver(after=3 * DAY)
        scene.clock.pass_time(5 * DAY)
        scene.work.run_housekeeping()
        assert kept(scene) == 0


def test_encrypted_contents_are_erased_from_database_file_and_log(scene: Scene, tmp_path: Path):
    apply_with_unique_values(scene)
    with scene.parts.database.read() as connection:
        sealed = connection.execute(sa.select(deliveries.c.sealed)).scalar_one().encode()
    scene.deliver()
    assert files_with(tmp_path, sealed)
    scene.clock.pass_time(8 * DAY)
    scene.work.run_housekeeping()
    assert files_with(tmp_path, sealed) == []


def test_a_discarded_application_is_erased_with_its_cv_even_after_a_storage_outage(scene: Scene, tmp_path: Path):
    scene.acme.plan(refused(answer(status=503)))
    reference = apply_with_unique_values(scene)
    scene.deliver()
    folder = scene.folder / "attachments"
    (folder).rename(scene.folder / "away")
    folder.write_text("in the way")
    assert submissions.discard(scene.parts.database, KINDS, reference, scene.clock)
    scene.work.run_housekeeping()
    folder.unlink()
    (scene.folder / "away").rename(folder)
    assert list(scene.parts.store.keys("acme/")) != []
    assert scene.overview(reference).state is OutboxState.DISCARDED
    scene.work.run_housekeeping()
    assert kept(scene) == 0
    assert list(scene.parts.store.keys("acme/")) == []
