"""Requirements of each format's documentation as data, and a check of responses against them."""

import io
import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import feedparser
import httpx

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")
ADDRESS = re.compile(r"https?://[\x21-\x7e]{1,2000}")
ONE_LINE = re.compile(r"[^\x00-\x1f]+")
COUNTRY = re.compile("[A-Z]{2}")

INDEED = {
    "title": ONE_LINE,
    "date": INSTANT,
    "referencenumber": re.compile("[A-Za-z0-9_-]{1,100}"),
    "requisitionid": re.compile("[A-Za-z0-9_-]{1,100}"),
    "url": ADDRESS,
    "company": ONE_LINE,
    "sourcename": ONE_LINE,
}
INDEED_IF_THERE = {
    "city": ONE_LINE,
    "state": ONE_LINE,
    "country": ONE_LINE,
    "description": re.compile(r"(?s).+"),
    "postalcode": ONE_LINE,
    "streetaddress": ONE_LINE,
    "salary": re.compile(r"[\d.]+( - [\d.]+)?( \S+)? per (hour|day|week|month|year)"),
    "jobtype": re.compile("fulltime|parttime|temporary|internship"),
    "expirationdate": INSTANT,
    "remotetype": re.compile("Fully remote|Hybrid remote"),
    "category": re.compile(r".{1,100}", re.DOTALL),
}
ENTITY = re.compile(rb"&#?\w{1,40};")
LINKEDIN = {
    "partnerJobId": re.compile(r"\S{1,40}"),
    "company": ONE_LINE,
    "title": re.compile(r"[^\x00-\x1f]{1,200}"),
    "description": re.compile(r"(?s).{100,25000}"),
    "applyUrl": ADDRESS,
    "location": ONE_LINE,
}
LINKEDIN_IF_THERE = {
    "city": ONE_LINE,
    "state": ONE_LINE,
    "country": ONE_LINE,
    "postalCode": ONE_LINE,
    "jobtype": re.compile("FULL_TIME|PART_TIME|CONTRACT|TEMPORARY|INTERNSHIP|VOLUNTEER|OTHER"),
    "workplaceTypes": re.compile("On-site|Hybrid|Remote"),
    "listDate": INSTANT,
    "expirationDate": INSTANT,
}
JSON_FEED = {"version", "title", "home_page_url", "feed_url", "description", "language", "authors", "items"}
JSON_FEED_ITEM = {
    *("id", "url", "title", "content_html", "content_text", "summary", "date_published", "date_modified"),
    *("language", "authors", "tags"),
}
GREENHOUSE: dict[str, type | tuple[type, ...]] = {
    "id": int,
    "internal_job_id": int,
    "title": str,
    "updated_at": str,
    "requisition_id": str,
    "location": dict,
    "absolute_url": str,
    "language": str,
    "metadata": list,
}
GREENHOUSE_CONTENT: dict[str, type | tuple[type, ...]] = {"content": str, "departments": list, "offices": list}
LEVER: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "text": str,
    "categories": dict,
    "country": (str, type(None)),
    "opening": str,
    "openingPlain": str,
    "description": str,
    "descriptionPlain": str,
    "descriptionBody": str,
    "descriptionBodyPlain": str,
    "lists": list,
    "additional": str,
    "additionalPlain": str,
    "hostedUrl": str,
    "applyUrl": str,
    "workplaceType": str,
    "createdAt": int,
}


def atom(answer: httpx.Response) -> int:
    """Check RFC 4287, and feedparser's findings; return the number of entries."""
    assert answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    read = feedparser.parse(io.BytesIO(answer.content))
    assert not read.bozo, read.get("bozo_exception")
    assert read.version == "atom10"
    root = ElementTree.fromstring(answer.content)  # noqa: S314  the portal's own document
    name = "{http://www.w3.org/2005/Atom}"
    assert all(len(root.findall(name + one)) == 1 for one in ("id", "title", "updated"))
    assert root.find(f"{name}author/{name}name") is not None
    assert {link.get("rel") for link in root.findall(f"{name}link")} == {"self", "alternate"}
    entries, ids = root.findall(f"{name}entry"), set()
    for entry in entries:
        assert all(len(entry.findall(name + one)) == 1 for one in ("id", "title", "updated", "summary", "content"))
        assert INSTANT.fullmatch(entry.findtext(f"{name}updated") or "")
        assert [content.get("type") for content in entry.findall(f"{name}content")] == ["html"]
        assert entry.get("{http://www.w3.org/XML/1998/namespace}lang")
        ids.add(entry.findtext(f"{name}id"))
    assert len(ids) == len(entries)
    return len(entries)


def json_feed(answer: httpx.Response) -> int:
    """jsonfeed.org/version/1.1."""
    assert answer.headers["Content-Type"] == "application/feed+json; charset=utf-8"
    feed = json.loads(answer.content)
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["title"]
    assert feed.keys() <= JSON_FEED
    assert all(author.keys() <= {"name", "url", "avatar"} and author for author in feed["authors"])
    ids = [item["id"] for item in feed["items"]]
    assert len(set(ids)) == len(ids)
    for item in feed["items"]:
        assert item.keys() <= JSON_FEED_ITEM
        assert isinstance(item["id"], str)
        assert item["content_html"]
        assert ADDRESS.fullmatch(item["url"])
        assert INSTANT.fullmatch(item["date_published"])
        assert INSTANT.fullmatch(item["date_modified"])
    return len(ids)


def indeed(answer: httpx.Response) -> int:
    assert not ENTITY.search(answer.content), ENTITY.search(answer.content)
    jobs = _jobs(answer, INDEED, INDEED_IF_THERE, {"publisher", "publisherurl"})
    references = [job["referencenumber"] for job in jobs]
    assert len(set(references)) == len(references)
    return len(jobs)


def linkedin(answer: httpx.Response) -> int:
    head = {"lastBuildDate", "publisher", "publisherURL", "expectedJobCount"}
    jobs = _jobs(answer, LINKEDIN, LINKEDIN_IF_THERE, head)
    assert f"<expectedJobCount>{len(jobs)}</expectedJobCount>".encode() in answer.content
    return len(jobs)


def _jobs(
    answer: httpx.Response, required: dict[str, re.Pattern[str]], others: dict[str, re.Pattern[str]], head: set[str]
) -> list[dict[str, str]]:
    assert answer.headers["Content-Type"] == "application/xml; charset=utf-8"
    assert answer.content.startswith(b'<?xml version="1.0" encoding="utf-8"?>')
    root = ElementTree.fromstring(answer.content)  # noqa: S314  the portal's own document
    assert root.tag == "source"
    assert {child.tag for child in root} <= head | {"job"}
    assert head <= {child.tag for child in root}
    found = []
    for job in root.iter("job"):
        said = {child.tag: child.text or "" for child in job}
        assert len(said) == len(job), "each once"
        assert required.keys() <= said.keys() <= required.keys() | others.keys()
        for name, text in said.items():
            assert (required | others)[name].fullmatch(text), (name, text)
        found.append(said)
    return found


def greenhouse(answer: httpx.Response, *, content: bool) -> int:
    told = json.loads(answer.content)
    assert told["meta"] == {"total": len(told["jobs"])}
    for job in told["jobs"]:
        _is_like(job, GREENHOUSE | (GREENHOUSE_CONTENT if content else {}))
        assert 0 < job["id"] < 2**53
        assert isinstance(job["location"]["name"], str)
        if content:
            assert "<" not in job["content"]
    ids = {job["id"] for job in told["jobs"]}
    assert len(ids) == len(told["jobs"])
    return len(ids)


def lever(answer: httpx.Response) -> int:
    told = json.loads(answer.content)
    for posting in told:
        _is_like(posting, LEVER)
        assert posting["workplaceType"] in {"unspecified", "on-site", "remote", "hybrid"}
        assert posting["applyUrl"].startswith(posting["hostedUrl"])
        assert not (pay := posting.get("salaryRange")) or pay.keys() == {"currency", "interval", "min", "max"}
    return len(told)


def _is_like(value: dict[str, Any], shape: dict[str, type | tuple[type, ...]]) -> None:
    for name, kind in shape.items():
        assert isinstance(value[name], kind), (name, value.get(name))


CHECKS: dict[str, Callable[[httpx.Response], int]] = {
    "/{slug}/feed.atom": atom,
    "/{slug}/feed.json": json_feed,
    "/{slug}/indeed.xml": indeed,
    "/{slug}/linkedin.xml": linkedin,
    "/v1/boards/{slug}/jobs": lambda answer: greenhouse(answer, content=False),
    "/v1/boards/{slug}/jobs?content=true": lambda answer: greenhouse(answer, content=True),
    "/v0/postings/{slug}?mode=json": lever,
}
