"""Only the page in the language of the job's text has structured data."""

import pytest

from tests.site.browse.jobs import vacancy
from tests.site.feeds.markup import Page

GERMAN = "<p>Wir suchen dich für unsere Werkstatt in Berlin, und du arbeitest mit den Kollegen an der Maschine.</p>"
ENGLISH = "<p>We are looking for you, and you will work with the others in the workshop on the machine.</p>"
FRENCH = "<p>Nous cherchons une personne pour notre atelier, et vous travaillez avec les autres sur la machine.</p>"


@pytest.fixture
def site(careers):
    careers.publish(
        vacancy("g1", "Schweißer für die Werkstatt", GERMAN),
        vacancy("e1", "Welder for the workshop", ENGLISH),
        vacancy("f1", "Soudeur pour notre atelier", FRENCH),
    )
    return careers


@pytest.mark.parametrize(
    ("posting_id", "own", "other"), [("g1", "?lang=de", ""), ("e1", "", "?lang=de"), ("f1", "", "?lang=de")]
)
def test_only_the_page_in_that_language_has_structured_data(site, posting_id, own, other):
    page, variant = (Page(site.get(f"/acme/jobs/{posting_id}{query}").text) for query in (own, other))
    assert page.block("JobPosting")
    assert variant.block("JobPosting") is None
    address = f"{site.portal.parts.settings.base_url}/acme/jobs/{posting_id}{own}"
    assert page.canonical == variant.canonical == [address]
    assert address in {one["href"] for one in variant.links("alternate")}
