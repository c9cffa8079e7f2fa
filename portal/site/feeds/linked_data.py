"""Dataclasses named as in schema.org → JSON-LD, and the JSON-LD blocks of the portal's pages."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any, ClassVar, Protocol

from babel import Locale
from flask_babel import gettext

from portal.jobs.posting import Posting
from portal.site.design.markup import data_block
from portal.site.feeds.job_posting import JobPosting, Organization, job_posting, organization
from portal.site.words.locale import text_language
from portal.tenants.addresses import Addresses
from portal.tenants.model import Tenant

Json = str | float | bool | list["Json"] | dict[str, "Json"]


class _Node(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListItem:
    """A step of a breadcrumb. item: its absolute address."""

    position: int
    name: str
    item: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BreadcrumbList:
    """The breadcrumb of a page, from the top."""

    item_list_element: tuple[ListItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSite:
    """A company's careers site."""

    name: str
    url: str
    in_language: str
    publisher: Organization


def of_job(posting: Posting, tenant: Tenant, site: Addresses, locale: Locale) -> list[str]:
    """Return the blocks of a job's page: the breadcrumb, and the job if it has everything required.

    Only the page in the language of the job's text has the job: search engines would list each language as a job.
    """
    home = site.absolute(site.jobs())
    lang = site.lang or site.default
    job = job_posting(posting, tenant, home=home, locale=locale) if lang == text_language(posting, tenant) else None
    way = (
        ListItem(position=1, name=gettext("All open jobs"), item=home),
        ListItem(position=2, name=posting.title, item=site.absolute(site.job(posting.id))),
    )
    blocks = [_block(BreadcrumbList(item_list_element=way))]
    return [_block(job), *blocks] if isinstance(job, JobPosting) else blocks


def of_list(tenant: Tenant, site: Addresses, lang: str) -> list[str]:
    """Return the blocks of a careers site's start page: the company and the site."""
    home = site.absolute(site.jobs())
    company = organization(tenant, home)
    return [_block(company), _block(WebSite(name=tenant.name, url=home, in_language=lang, publisher=company))]


def _block(node: _Node) -> str:
    document = {"@context": "https://schema.org", **_members(node)}
    return data_block(json.dumps(document, ensure_ascii=False))


def _members(node: _Node) -> dict[str, Json]:
    """Return a dataclass as a typed node, without members that are None."""
    found: dict[str, Json] = {"@type": type(node).__name__}
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name == "where":  # one of two sets of members, depending on the type
            found |= _where(value)
        elif value is not None:
            found[_camel(field.name)] = _json(value)
    return found


def _where(value: _Node) -> dict[str, Json]:
    members = _members(value)
    kind = members.pop("@type")
    return {"jobLocation": {"@type": kind, **members}} if kind == "Place" else members


def _json(value: object) -> Json:
    if is_dataclass(value) and not isinstance(value, type):
        return _members(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_json(one) for one in value]
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, date):  # and datetime, which is a subclass
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str | int | float):
        return value
    raise TypeError(f"{type(value).__name__} has no form in JSON-LD")


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
