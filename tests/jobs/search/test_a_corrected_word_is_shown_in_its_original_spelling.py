"""Corrections are shown with accents and in the original script, although the index has neither."""

import pytest

from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


@pytest.mark.parametrize(
    ("title", "typed", "said"),
    [
        ("مهندس صيانة", "مهدنس", "مهندس"),
        ("Küchenhilfe", "kuchenhifle", "küchenhilfe"),
        ("Инженер", "инжинер", "инженер"),
        ("Kellner in Köln", "kellnr köln", "kellner köln"),
        ("Welder", "weldr", "welder"),
    ],
)
def test_a_correction_is_spelt_as_in_the_job(mirrored: Mirror, title: str, typed: str, said: str):
    mirrored.service.put(vacancy("a", title))
    mirrored.sync()
    found = mirrored.find(typed)
    assert [hit.posting.title for hit in found.hits] == [title]
    assert found.corrected == said
