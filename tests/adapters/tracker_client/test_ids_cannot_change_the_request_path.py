"""Whatever an id contains, the request keeps the path of its operation."""

import pytest

from portal.adapters.tracker_client.errors import Rejected
from tests.adapters.tracker_client.calling import SUBMISSION, UPDATE, client
from tests.parts.misbehaving import answer, misbehaving

NO_SEGMENTS = [
    "",
    ".",
    "..",
    "../candidates",
    "a/../b",
    "a/",
    "/a",
    "a//b",
    "..\\b",
    "a\x00b",
    "a\nb",
    "a\x7fb",
    "\ud800",
]
NO_SEGMENTS += ["\u202ea", "x" * 501]
ODD_SEGMENTS = ["a b", "a/b", "a?b=c", "a#b", "a%2e%2e", "%2e%2e", "...", "ü", "李", "{id}", "a;b", "a@b:c", "x" * 500]


@pytest.mark.parametrize("value", NO_SEGMENTS)
def test_ids_that_cannot_be_a_path_segment_are_not_sent(value: str) -> None:
    with misbehaving(answer({"id": "x"})) as server, client(server.url) as upstream:
        for call in (
            lambda: upstream.vacancy(value),
            lambda: upstream.applications(value),
            lambda: upstream.application(value),
            lambda: upstream.update_candidate(value, UPDATE, reference="r"),
            lambda: upstream.submit(value, SUBMISSION, reference="r"),
        ):
            with pytest.raises(Rejected) as caught:
                call()
            assert not value or len(value) < 3 or value not in str(caught.value)
        assert server.connections == 0


@pytest.mark.parametrize("value", ODD_SEGMENTS)
def test_special_characters_in_an_id_are_escaped(value: str) -> None:
    with misbehaving(answer({"id": "x"})) as server, client(server.url) as upstream:
        upstream.vacancy(value)
        upstream.update_candidate(value, UPDATE, reference="r")
    assert [seen.target.count("/") for seen in server.seen] == [2, 3]
    assert all("?" not in seen.target and "#" not in seen.target for seen in server.seen)


@pytest.mark.parametrize("value", ["a b", "a.b", "ü", "a/b", "%41", "x" * 101, "a\n"])
def test_posting_ids_with_invalid_characters_are_not_sent(value: str) -> None:
    with misbehaving(answer()) as server, client(server.url) as upstream:
        with pytest.raises(Rejected):
            upstream.submit(value, SUBMISSION, reference="r")
        upstream.submit("x" * 100, SUBMISSION, reference="r")
        assert len(server.seen) == 1
