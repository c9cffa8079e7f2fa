"""A tenant's own texts in one language: [site.text.XX], completed by the texts of the file's other sections."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from portal.tenants.model import Link, Person, PersonText, Quote, ReasonToJoin, SiteText, Tenant


@dataclass(frozen=True, slots=True)
class PersonWords:
    """A person of the company for a page in one language. picture: its URL in the file; None shows the initial."""

    name: str
    picture: str | None
    role: str | None
    role_language: str
    says: str | None
    says_language: str


@dataclass(frozen=True, slots=True)
class Words:
    """A tenant's texts for a page or a mail in one language.

    consent: the text to agree to; None if none is required. stages: stage name → public word. facets: a filter's label
    in [publish.facets] → its translation. language: of the page. own: the language of the file's other sections, the
    first of [site] locales. translated: names of members that are in `language`, and entries of dicts, as
    "facets:Department".
    """

    tagline: str | None
    about: str | None
    consent: str | None
    privacy_url: str | None
    links: tuple[Link, ...]
    why: tuple[ReasonToJoin, ...]
    quote: Quote | None
    people: tuple[PersonWords, ...]
    benefits: tuple[str, ...]
    stages: Mapping[str, str]
    facets: Mapping[str, str]
    language: str
    own: str
    translated: frozenset[str]

    def language_of(self, member: str, entry: str | None = None) -> str:
        """Return the language of a member's text: the page's if it is translated, else the file's own."""
        name = member if entry is None else f"{member}:{entry}"
        return self.language if name in self.translated else self.own


_NOTHING = SiteText()


def words_of(tenant: Tenant, language: str) -> Words:
    """Return the tenant's texts in `language`, as in [site] locales; untranslated ones are in the file's own language.

    de-AT uses the texts of de if it has none of its own.
    """
    texts, site, apply = tenant.site.text, tenant.site, tenant.apply
    text = texts.get(language) or texts.get(language.partition("-")[0]) or _NOTHING
    primary, own = (tag.partition("-")[0] for tag in (language, site.locales[0]))
    return Words(
        tagline=text.tagline or site.tagline,
        about=text.about or site.about,
        consent=apply.consent and (text.consent or apply.consent),
        privacy_url=text.privacy_url or apply.privacy_url,
        links=text.links or site.links,
        why=text.why or site.why,
        quote=text.quote or site.quote,
        people=tuple(_person(each, text.people.get(each.name, PersonText()), primary, own) for each in site.people),
        benefits=text.benefits or site.benefits,
        stages={**tenant.profile.stages, **text.stages},
        facets={label: text.facets.get(label, label) for label in tenant.publish.facets},
        language=primary,
        own=own,
        translated=_translated(text),
    )


def _person(person: Person, text: PersonText, language: str, own: str) -> PersonWords:
    return PersonWords(
        name=text.name or person.name,
        picture=person.picture,
        role=text.role or person.role,
        role_language=language if text.role else own,
        says=text.says or person.says,
        says_language=language if text.says else own,
    )


def _translated(text: SiteText) -> frozenset[str]:
    several = {"stages": text.stages, "facets": text.facets}
    entries = (f"{member}:{entry}" for member, translations in several.items() for entry in translations)
    return frozenset([*(each.name for each in fields(text) if getattr(text, each.name)), *entries])
