"""My data lists the alerts of the address, each with a button that ends it."""

from tests.builders import Portal
from tests.jobs.alerts.scene import EVE, Scene
from tests.site.account.candidate import ADA, Visitor


def listed(ada: Visitor) -> list[str]:
    """Return the addresses of the buttons."""
    forms = ada.get("/profile/data").all("form")
    return [form.attrib["action"].removeprefix("/acme") for form in forms if "/alerts/" in form.attrib["action"]]


def test_the_button_of_an_alert_ends_it(acme: Portal, ada: Visitor):
    visits = Scene(acme)
    first = visits.subscribe("?q=welder", ADA)
    visits.subscribe("?q=baker", ADA)
    ada.sign_in()
    (one,) = [way for way in listed(ada) if way.rsplit("/", 2)[1] in first]
    answer = ada.post(one, ada.get("/profile/data"))
    assert (answer.status_code, answer.headers["Location"]) == (303, "/acme/profile/data")
    assert len(listed(ada)) == 1
    assert "This alert has ended" in visits.open(first).words


def test_neither_viewing_nor_a_post_without_the_page_ends_an_alert(acme: Portal, ada: Visitor):
    Scene(acme).subscribe("?q=welder", ADA)
    ada.sign_in()
    (one,) = listed(ada)
    assert ada.client.get(ada.at(one)).status_code == 405
    ada.client.post(ada.at(one), data={"token": "not one of ours"})
    assert listed(ada) == [one]


def test_a_candidate_cannot_end_another_persons_alert(acme: Portal, ada: Visitor):
    visits = Scene(acme)
    visits.subscribe("?q=welder", ADA)
    hers = visits.subscribe("?q=baker", EVE)
    ada.sign_in()
    (own,) = listed(ada)
    other = hers.partition("?")[0].removeprefix("/acme").removeprefix("/alerts/")
    ada.post(f"/profile/alerts/{other}/end", ada.get("/profile/data"))
    assert listed(ada) == [own]
    assert "This alert has ended" not in visits.open(hers).words
