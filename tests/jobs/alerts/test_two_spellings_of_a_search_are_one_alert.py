"""Requests for the same search in different spellings create one alert."""

import pytest

from tests.jobs.alerts.scene import Scene


@pytest.mark.parametrize("again", ["?q=berlin++WELDER", "?q=w%C3%A9lder+Berlin", "?q=Welder+Berlin"])
def test_another_spelling_of_a_search_is_the_same_alert(acme: Scene, again: str):
    first = acme.subscribe("?q=welder+berlin")
    assert acme.ask(again).status_code == 303
    (letter,) = acme.work()
    assert first.partition("?")[0].rpartition("/")[2] in letter.get_body(("plain",)).get_content()


def test_another_search_is_another_alert(acme: Scene):
    first = acme.subscribe("?q=welder")
    assert acme.ask("?q=baker").status_code == 303
    (letter,) = acme.work()
    assert first.partition("?")[0].rpartition("/")[2] not in letter.get_body(("plain",)).get_content()
