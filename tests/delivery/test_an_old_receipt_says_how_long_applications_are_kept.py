"""The URL of a deleted receipt states how long applications are kept, and nothing else."""

import pytest

from tests.delivery.scene import Scene

DAY = 86_400


@pytest.fixture
def database_kind() -> str:
    return "sqlite"


@pytest.mark.parametrize("here", [{"forget_after": 100 * DAY}], indirect=True)
def test_only_the_url_of_a_deleted_receipt_states_the_retention(here: Scene):
    reference = here.apply()
    here.deliver()
    here.clock.pass_time(8 * DAY)
    here.work.run_housekeeping()
    here.clock.pass_time(92 * DAY - 3_600)
    here.work.run_housekeeping()
    with here.browser() as client:
        assert client.get(f"/acme/applications/{reference}").status_code == 200
        here.clock.pass_time(7_200)
        here.work.run_housekeeping()
        page = client.get(f"/acme/applications/{reference.lower()}")
        assert page.status_code == 410
        assert page.headers["cache-control"] == "no-store"
        assert "keeps applications for 100 days only" in page.text
        assert "restored" not in page.text
        other = reference[:-1] + ("2" if reference[-1] != "2" else "3")
        assert client.get(f"/acme/applications/{other}").status_code == 404
        assert client.get(f"/globex/applications/{reference}").status_code == 404
