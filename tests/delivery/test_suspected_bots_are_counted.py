"""By default, a suspected bot's application is counted and sent like any other; a person's is not counted."""

import pytest

from portal.background.outbox.states import OutboxState
from tests.delivery.scene import Scene
from tests.delivery.senders import bots, send
from tests.delivery.test_metrics_report_the_state_of_delivery import asked
from tests.site.apply.applicant import ADA, CV, Applicant


def suspicions(scene: Scene) -> dict[str, float]:
    """Return tenant/reason and their counts."""
    found = {}
    for line in asked(scene).text.splitlines():
        if line.startswith("portal_suspicions_total{"):
            labels, _, count = line.partition("{")[2].partition("} ")
            told = dict(label.split("=") for label in labels.replace('"', "").split(","))
            found[f"{told['tenant']}/{told['reason']}"] = float(count)
    return found


@pytest.mark.parametrize(("seconds", "counted"), [(0.0, 1), (1.999, 1), (2.0, 0), (30.0, 0)])
def test_a_form_sent_within_two_seconds_is_counted_and_sent(scene: Scene, seconds: float, counted: int):
    scene.clock.pass_time(1 - scene.clock.now().microsecond / 1_000_000)  # a form records its time in milliseconds
    reference = send(scene, seconds=seconds)
    assert suspicions(scene) == ({"acme/fast": 1} if counted else {})
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED


def test_a_hidden_field_that_is_filled_in_is_counted_and_the_application_sent(scene: Scene):
    reference = send(scene, remarks="Buy my cheap things")
    other = send(scene, "bob", tenant="globex", remarks="x", seconds=0)
    assert suspicions(scene) == {"acme/hidden-field": 1, "globex/hidden-field": 1, "globex/fast": 1}
    assert scene.overview(other).suspicion == "hidden-field,fast"
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED


@pytest.mark.parametrize("word", ["count", "review", "proof"])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_browser_that_autofills_every_field_is_not_counted(scene: Scene, word: str):
    bots(scene, word)
    with scene.browser() as client:
        form = Applicant(client)
        trap = form.page.by_id("remarks")
        assert (trap.get("tabindex"), trap.get("autocomplete"), trap.get("type")) == ("-1", "off", "text")
        assert "remarks" not in form.page.typed
        filled = {e.attrib["name"] for e in form.page.all("input") if e.get("autocomplete") not in {None, "off"}}
        assert filled <= {*ADA, "firstName"}
        scene.clock.pass_time(2)
        reference = form.receipt().rpartition("/")[2]
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert suspicions(scene) == {}


@pytest.mark.parametrize("word", ["count", "review", "proof"])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_client_that_posts_back_the_form_unchanged_is_not_counted(scene: Scene, word: str):
    bots(scene, word)
    with scene.browser() as client:
        form = Applicant(client)
        scene.clock.pass_time(2)
        filled = [e for e in form.page.all("input") if e.get("type") not in {"file", "submit"}]
        everything = {e.attrib["name"]: e.get("value", "") for e in filled}
        answer = client.post(form.address, data={**everything, **ADA}, files={"cv": CV})
    assert answer.status_code == 303
    assert suspicions(scene) == {}


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_quick_correction_of_an_error_is_not_counted(scene: Scene):
    with scene.browser() as client:
        form = Applicant(client)
        scene.clock.pass_time(30)
        form.send(email="wrong")
        scene.clock.pass_time(0.5)
        assert form.receipt(None)
    assert suspicions(scene) == {}


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_form_of_unknown_age_is_not_counted(scene: Scene):
    with scene.browser() as client:
        form = Applicant(client)
        form.send(hidden={"token": "of another key"})
        assert form.receipt()
    assert suspicions(scene) == {}
