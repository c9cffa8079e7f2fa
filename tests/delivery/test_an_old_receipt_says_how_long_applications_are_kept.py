"""The URL of a deleted receipt states how long applications are kept, and nothing else."""

import pytest

from tests.delivery.scene import Scene

DAY = 86_400


@pytest.fixture
def database_kind() -> str:
    return "sqlite"


@pytest.mark.parametrize("scene", [{"forget_after": 100 * DAY}], indirect=True)
def test_only_the_url_of_a_deleted_receipt_states_the_retention(scene: Scene):
    reference = scene.apply()
    scene.deliver()
    scene.clock.pass_time(8 * DAY)
    scene.work.run_housekeeping()
    scene.clock.pass_time(92 * DAY - 3_600)
    scene.work.run_housekeeping()
    with scene.browser() as client:
        assert client.get(f"/acme/applications/{reference}").status_code == 200
        scene.clock.pass_time(7_200)
        scene.work.run_housekeeping()
        page = client.get(f"/acme/applications/{reference.lower()}")
        assert page.status_code == 410
        assert page.headers["cache-control"] == "no-store"
        assert "keeps applications for 100 days only" in page.text
        assert "restored" not in page.text
        other = reference[:-1] + ("2" if reference[-1] != "2" else "3")
        assert client.get(f"/acme/applications/{other}").status_code == 404
        assert client.get(f"/globex/applications/{reference}").status_code == 404
