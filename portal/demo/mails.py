"""A page with every mail as its reader sees it: HTML on a phone and on a desktop, and the text version."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, Response, render_template, request

from portal.adapters.mail.message import Message
from portal.adapters.mail.transports import open_mailer
from portal.background.mails.deliver import MailComposer
from portal.background.mails.render import Renderer
from portal.platform.clock import Clock
from portal.services import Services
from portal.site.design.assets import TEMPLATES, TRANSLATIONS
from portal.site.routing.access import public
from portal.site.words.locale import direction, own_name
from portal.worker import look_of

PATH = "/_mails"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
_REFERENCE = "3f0c9a7d5b2e4810a6c4d1e2f3a4b5c6"
_KEY = "a1" * 32
_WHEN = "1 June 2026, 14:05"
_APPLICATION = {"title": "Mechatronics engineer, final assembly", "reference": _REFERENCE, "when": _WHEN}
_REQUEST = {"request": _REFERENCE, "due": "1 July 2026", "about": None, "email": "ada@people.example"}
_ALERT = {"alert": _REFERENCE, "key": _KEY, "every": "week", "search": "“engineer” · Full-time · near Berlin"}
_JOBS = [
    ["job-1", "Mechatronics engineer, final assembly", "Berlin, Germany", ""],
    ["job-2", "Senior engineer, motion control", "Hamburg, Germany", "Initech"],
    ["job-3", "Test engineer", "Kraków, Poland", ""],
]
_GATHERED = {"key": None, "delivered": None, "slug": None}
_CODE = {"code": "40718295", "minutes": "10"}

Facts = Mapping[str, object]
SAMPLES: dict[str, Facts] = {
    "code": _CODE,
    "address_code": _CODE,
    "confirm_code": {**_CODE, "minutes": "5"},
    "no_record": {},
    "invitation": {"to": "sealed"},
    "receipt": {**_APPLICATION, "again": None},
    "receipt (another one)": {**_APPLICATION, "again": None, "before": "12 March 2026"},
    "receipt (again)": {**_APPLICATION, "again": "yes"},
    "confirm": {**_APPLICATION, "key": _KEY},
    "refused": _APPLICATION,
    "unsafe": _APPLICATION,
    "gathered": {
        "said": {
            **{name: [{**_APPLICATION, **_GATHERED}] for name in ("receipt", "again", "refused", "unsafe")},
            "confirm": [{**_APPLICATION, **_GATHERED, "key": _KEY}],
        },
        "more": 2,
    },
    "alert_confirm": _ALERT,
    "alert": {**_ALERT, "jobs": _JOBS, "more": "yes", "address": "q=engineer"},
    "alert (one job)": {**_ALERT, "jobs": _JOBS[:1], "more": None, "address": "q=engineer"},
    "alert_ending": {**_ALERT, "day": "1 December 2026"},
    "address_changed": {"removed": None, "added": "yes", "operator": None, "undo": _KEY, "when": _WHEN},
    "address_undone": {"when": _WHEN, "operator": None},
    "change_overtaken": {"reference": _REFERENCE},
    "change_refused": {"reference": _REFERENCE},
    "request_received": {**_REQUEST, "kind": "erase"},
    "request_received (withdrawn)": {
        **_REQUEST,
        "kind": "withdraw",
        "when": _WHEN,
        "delivered": "1 June 2026, 14:06",
        "withdrawn": "3 June 2026, 9:30",
    },
    "request_done": {**_REQUEST, "kind": "erase"},
    "request_owed": {**_REQUEST, "kind": "erase"},
    "dead": {"references": [_REFERENCE, _REFERENCE[::-1]]},
    "change_dead": {"references": [_REFERENCE]},
    "turned_away": {"refused": "yes", "slug": "acme"},
}
"""Template → the facts that its sender would pass. A name with brackets is another mail of the same template."""


@dataclass(frozen=True, slots=True)
class DemoMail:
    """A mail on the page. html: with its picture inlined, because browsers do not support `cid:`."""

    name: str
    subject: str
    html: str
    text: str
    size: int


def blueprint(services: Services) -> Blueprint:
    """Return the blueprint of GET /_mails?tenant=…&lang=…"""
    pages = Blueprint("mails", __name__, template_folder="data")
    post = post_of(services, services.clock)
    known = ["en", *sorted(folder.name for folder in TRANSLATIONS.glob("*") if folder.is_dir())]
    tags = list(dict.fromkeys(name.replace("_", "-") for name in known if not name.startswith("__")))

    @pages.get(PATH)
    @public
    def mails() -> Response:
        slugs = [tenant.slug for tenant in services.tenants.all()]
        slug, tag = request.args.get("tenant", ""), request.args.get("lang", "")
        slug, tag = slug if slug in slugs else slugs[0], tag if tag in tags else tags[0]
        shown = [_shown(name, written(post, slug, tag, name)) for name in SAMPLES]
        response = Response(
            render_template(
                "mails/page.html",
                mails=shown,
                slugs=slugs,
                slug=slug,
                tags=[(one, own_name(one)) for one in tags],
                tag=tag,
                dir_of_tag=direction(tag),
                path=PATH,
            )
        )
        response.headers["Content-Security-Policy"] = _POLICY
        return response

    return pages


def post_of(services: Services, clock: Clock) -> MailComposer:
    """Return a Post configured like a worker's."""
    settings, renderer = services.settings, Renderer(TEMPLATES, TRANSLATIONS)
    return MailComposer(
        services.tenants,
        open_mailer(settings.mail),
        renderer,
        clock,
        base_url=settings.base_url,
        look_of=lambda tenant: look_of(services, tenant),
    )


def written(post: MailComposer, slug: str, tag: str, name: str) -> Message:
    """Return one of the samples as the company would send it."""
    facts = dict(SAMPLES[name])
    if isinstance(said := facts.get("said"), dict):
        facts["said"] = {what: [{**one, "slug": slug} for one in ones] for what, ones in said.items()}
    return post.written(
        tenant=slug,
        template=name.partition(" ")[0],
        locale=tag,
        recipient="ada@people.example",
        facts=facts,
        reference=_REFERENCE,
    )


def _shown(name: str, message: Message) -> DemoMail:
    html = message.html or ""
    if message.picture:
        inside = f"data:image/png;base64,{b64encode(message.picture.body).decode()}"
        html = html.replace(f"cid:{message.picture.name}", inside)
    return DemoMail(name, message.subject, html, message.text, len((message.html or "").encode()))
