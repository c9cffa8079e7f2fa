"""Addresses that a narrow column splits are joined, and labels without a colon are recognised."""

from portal.adapters.cv_reader.cv import details_of
from portal.adapters.cv_reader.text_lines import CvText, TextLine


def test_the_target_of_a_link_replaces_its_truncated_text():
    lines = (TextLine("Ada Lovelace", 30.0), TextLine("ada.lovelace@example.co", 10.0), TextLine("m", 10.0))
    assert details_of(CvText(lines, ("mailto:ada.lovelace@example.com",))).email == "ada.lovelace@example.com"


def test_a_website_below_its_label_is_found():
    lines = (TextLine("Ada Lovelace", 30.0), TextLine("Website", 10.0), TextLine("https://lovelace.example", 10.0))
    assert details_of(CvText(lines)).profile_url == "https://lovelace.example"


def test_a_label_is_not_taken_for_a_name():
    lines = (TextLine("Nacionalidad Teléfono", 30.0), TextLine("Española", 10.0))
    assert details_of(CvText(lines)).family_name is None
