"""Alerts survive a change of the secret key with `portal db rekey`, and none is duplicated."""

from portal.operations.rekey import rekey
from tests.builders import SECRET
from tests.jobs.alerts.scene import Scene
from tests.site.account.test_candidates_keep_access_after_a_change_of_the_secret_key import NEW, start_again
from tests.site.browse.jobs import vacancy


def moved(acme: Scene) -> None:
    start_again(acme.portal, NEW, SECRET)
    rekey(acme.portal.parts.database, acme.portal.parts.seal, lambda *_: None)
    start_again(acme.portal, NEW)


def test_new_jobs_are_sent_after_the_change(acme: Scene):
    acme.subscribe("?q=welder")
    moved(acme)
    acme.publish(vacancy("job-3", "Welder for Ships"))
    (letter,) = acme.pass_days(2)
    assert "Welder for Ships" in letter.get_body(("plain",)).get_content()


def test_the_same_search_creates_no_second_alert(acme: Scene):
    first = acme.subscribe("?q=welder")
    moved(acme)
    assert acme.ask("?q=welder").status_code == 303
    (letter,) = acme.work()
    assert first.partition("?")[0].rpartition("/")[2] in letter.get_body(("plain",)).get_content()
