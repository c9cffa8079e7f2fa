"""The Atom feed (RFC 4287), for feed readers."""

from collections.abc import Iterable, Iterator
from html import escape

from portal.jobs.posting import Posting
from portal.site.feeds import facts
from portal.site.feeds.feed import Feed, FeedContext, attribute, element
from portal.tenants.words import words_of

_HTML = attribute("type", "html")


def _write(context: FeedContext, postings: Iterable[Posting]) -> Iterator[str]:
    tenant, site = context.tenant, context.site
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield f'<feed xmlns="http://www.w3.org/2005/Atom"{attribute("xml:lang", tenant.site.locales[0])}>\n'
    yield element("id", facts.urn(tenant.slug)) + element("title", tenant.name)
    yield element("subtitle", words_of(tenant, tenant.site.locales[0]).tagline)
    yield element("updated", facts.rfc3339(context.changed_at))
    yield f"<author>{element('name', tenant.name)}{element('uri', site.jobs())}</author>"
    yield _link("self", site.at(f"/{FEED.name}"), FEED.media_type) + _link("alternate", site.jobs(), "text/html") + "\n"
    for posting in postings:
        yield _entry(context, posting)
    yield "</feed>\n"


def _entry(context: FeedContext, posting: Posting) -> str:
    types = filter(None, (posting.employment_type, posting.location_type, *facts.filter_labels(posting)))
    return "".join(
        (
            f"<entry{attribute('xml:lang', posting.language)}>",
            element("id", facts.urn(context.tenant.slug, posting.id)),
            element("title", posting.title),
            element("updated", facts.rfc3339(posting.modified_at)),
            element("published", facts.rfc3339(facts.published_at(posting))),
            _link("alternate", context.site.job(posting.id), "text/html"),
            *(f"<category{attribute('term', term)}/>" for term in types),
            element("summary", facts.summary(posting.description) or posting.title),
            element("content", posting.description or escape(posting.title), _HTML),
            "</entry>\n",
        )
    )


def _link(rel: str, href: str, media_type: str) -> str:
    return f"<link{attribute('rel', rel)}{attribute('type', media_type)}{attribute('href', href)}/>"


FEED = Feed("feed.atom", "application/atom+xml", _write)
