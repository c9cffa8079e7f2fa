"""What a tenant says of itself, in one language: [site.text.XX] over the words of the file's other sections."""

from collections.abc import Mapping
from dataclasses import dataclass

from portal.tenants.model import Link, Quote, SiteText, Tenant, Why


@dataclass(frozen=True, slots=True)
class Words:
    """A tenant's words for a page or a mail in one language.

    consent: the text to be agreed to; None where none is asked for. stages: stage name → public word.
    facets: a filter's label in [publish.facets] → what it is called.
    """

    tagline: str | None
    about: str | None
    consent: str | None
    privacy_url: str | None
    links: tuple[Link, ...]
    why: tuple[Why, ...]
    quote: Quote | None
    stages: Mapping[str, str]
    facets: Mapping[str, str]


_NOTHING = SiteText()


def words_of(tenant: Tenant, language: str) -> Words:
    """The tenant's words in `language`, as in [site] locales; what it does not say there, in its file's own words.

    de-AT is said in the words of de where it has none of its own.
    """
    texts, site, apply = tenant.site.text, tenant.site, tenant.apply
    text = texts.get(language) or texts.get(language.partition("-")[0]) or _NOTHING
    return Words(
        tagline=text.tagline or site.tagline,
        about=text.about or site.about,
        consent=apply.consent and (text.consent or apply.consent),
        privacy_url=text.privacy_url or apply.privacy_url,
        links=text.links or site.links,
        why=text.why or site.why,
        quote=text.quote or site.quote,
        stages={**tenant.profile.stages, **text.stages},
        facets={label: text.facets.get(label, label) for label in tenant.publish.facets},
    )
