"""JSON Feed 1.1."""

from collections.abc import Iterable, Iterator
from html import escape

from portal.jobs.posting import Posting
from portal.site.feeds import facts
from portal.site.feeds.feed import Feed, FeedContext, json_array_items
from portal.tenants.words import words_of


def _write(context: FeedContext, postings: Iterable[Posting]) -> Iterator[str]:
    tenant, site = context.tenant, context.site
    head: dict[str, object] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": tenant.name,
        "home_page_url": site.jobs(),
        "feed_url": site.at(f"/{FEED.name}"),
        "language": tenant.site.locales[0],
        "authors": [{"name": tenant.name, "url": site.jobs()}],
    }
    if tagline := words_of(tenant, tenant.site.locales[0]).tagline:
        head["description"] = tagline
    yield facts.as_json(head)[:-1] + ',"items":[\n'
    yield from json_array_items(facts.as_json(_item(context, posting)) for posting in postings)
    yield "\n]}\n"


def _item(context: FeedContext, posting: Posting) -> dict[str, object]:
    members: dict[str, object] = {
        "id": facts.urn(context.tenant.slug, posting.id),
        "url": context.site.job(posting.id),
        "title": posting.title,
        "content_html": posting.description or escape(posting.title),
        "summary": facts.summary(posting.description) or posting.title,
        "date_published": facts.rfc3339(facts.published_at(posting)),
        "date_modified": facts.rfc3339(posting.modified_at),
        "language": posting.language,
    }
    tags = facts.filter_labels(posting)
    return {**members, "tags": tags} if tags else members


FEED = Feed("feed.json", "application/feed+json", _write)
