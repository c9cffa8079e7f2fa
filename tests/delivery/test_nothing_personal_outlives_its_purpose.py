"""A canary in every field, searched for in all files of the data folder, on the way of a real worker."""

from pathlib import Path

import pytest

from portal.outbox.states import State
from tests.delivery.scene import Scene
from tests.delivery.service import refused
from tests.parts.misbehaving import answer

DAY = 86_400
CANARY = "Xanthippecanary"


def apply_as_the_canary(here: Scene) -> str:
    everything = {"firstName": CANARY, "lastName": CANARY, "city": CANARY, "region": CANARY, "postalCode": "X4N"}
    return here.apply(CANARY, networkUrl=f"https://{CANARY}.example/in", **everything)


def where(folder: Path) -> set[str]:
    """Data files that hold it; mail that went out is not the portal's any more."""
    files = [path for path in folder.rglob("*") if path.is_file() and "mail" not in path.parts]
    return {path.name for path in files if CANARY.lower() in path.read_bytes().decode("latin-1").lower()}


@pytest.fixture
def database_kind() -> str:
    return "sqlite"


def test_a_delivered_one_is_gone_from_database_and_log(here: Scene, tmp_path: Path):
    reference = apply_as_the_canary(here)
    here.deliver()
    assert where(tmp_path)
    here.clock.pass_time(7 * DAY - 60)
    here.work.keep_house()
    assert where(tmp_path)
    here.clock.pass_time(120)
    here.work.keep_house()
    assert where(tmp_path) == set()
    assert here.standing(reference).state is State.PURGED
    assert len(list(here.parts.store.keys("acme/"))) == 1


def test_a_receipt_that_mail_never_took_is_gone_as_well(tmp_path: Path, portal_url: str):
    from tests.delivery.scene import scene
    from tests.parts.process import free_port

    with scene(tmp_path / "s", portal_url, mail=f"smtp://127.0.0.1:{free_port()}") as here:
        apply_as_the_canary(here)
        here.deliver()
        here.deliver(after=3 * DAY)
        here.clock.pass_time(5 * DAY)
        here.work.keep_house()
        assert where(tmp_path) == set()


def test_a_crash_between_erasing_and_cutting_the_log_is_made_good(here: Scene, tmp_path: Path):
    from portal.applications import operate, purge

    apply_as_the_canary(here)
    here.deliver()
    here.clock.pass_time(8 * DAY)
    references = [one.reference for one in operate.overview(here.parts.database)]
    with here.parts.database.write() as connection:
        purge._erase(connection, references, here.clock)
    assert where(tmp_path)
    here.work.keep_house()
    assert where(tmp_path) == set()


def test_a_discarded_one_is_gone_with_its_cv_even_when_the_store_was_away(here: Scene, tmp_path: Path):
    from portal.applications import purge
    from portal.errors import StoreUnavailable

    class Away:
        def delete(self, _key: str) -> None:
            raise StoreUnavailable("away")

    here.acme.plan(refused(answer(status=503)))
    reference = apply_as_the_canary(here)
    here.deliver()
    with pytest.raises(StoreUnavailable):
        purge.discard(here.parts.database, Away(), reference, here.clock)
    assert here.standing(reference).state is State.DISCARDED
    here.deliver()  # its letter
    here.work.keep_house()
    assert where(tmp_path) == set()
    assert list(here.parts.store.keys("acme/")) == []
