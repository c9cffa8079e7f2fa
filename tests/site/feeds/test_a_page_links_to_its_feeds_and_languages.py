"""The head of a page names its feeds, its languages, and the permitted preview size."""

from tests.site.browse.jobs import vacancy
from tests.site.feeds.markup import Page


def test_the_list_links_to_both_feeds(careers):
    careers.publish(vacancy("w1", "Welder"))
    feeds = [one for one in Page(careers.get("/acme/").text).links("alternate") if "type" in one]
    assert [(one["type"], one["href"].rpartition("/")[2]) for one in feeds] == [
        ("application/atom+xml", "feed.atom"),
        ("application/feed+json", "feed.json"),
    ]
    for one in feeds:
        assert careers.get(one["href"]).headers["Content-Type"].startswith(one["type"])


def test_a_shared_page_names_its_language_and_the_others(careers):
    careers.publish(vacancy("w1", "Welder"))
    for path in ("/acme/", "/acme/jobs/w1"):
        page, german = Page(careers.get(path).text), Page(careers.get(f"{path}?lang=de").text)
        assert (page.named("og:locale"), page.named("og:locale:alternate")) == (["en_US"], ["de_DE"])
        assert (german.named("og:locale"), german.named("og:locale:alternate")) == (["de_DE"], ["en_US"])


def test_search_engines_may_show_a_large_picture(careers):
    careers.publish(vacancy("w1", "Welder"))
    for path in ("/acme/", "/acme/jobs/w1"):
        assert Page(careers.get(path).text).named("robots") == ["max-image-preview:large"]
