"""A page with every mail in each form: HTML on a phone and on a desktop, and the text version."""

import json
import re
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
from portal.tenants.languages import COMPLETE
from portal.worker import design_of

PATH = "/_mails"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
_REFERENCE = "QK7M4XT2W9PRA5H8NVB3"
Facts = Mapping[str, object]
_SAMPLE = re.compile(r"\{# sample( \([^)]*\))?\n(.*?)\n#\}", re.DOTALL)


def _samples() -> dict[str, Facts]:
    templates = sorted((TEMPLATES / "mail").glob("*.txt"))
    found = ((path.stem, *sample) for path in templates for sample in _SAMPLE.findall(path.read_text("utf-8")))
    return {f"{template}{more}": json.loads(facts) for template, more, facts in found}


SAMPLES = _samples()
"""Template → the facts that its sender would pass, from a comment in the template's text part.

A name with brackets is another mail of the same template.
"""


@dataclass(frozen=True, slots=True)
class DemoMail:
    """A mail on the page. html: with its pictures inlined, because browsers do not support `cid:`."""

    name: str
    subject: str
    html: str
    text: str
    size: int


def blueprint(services: Services) -> Blueprint:
    """Return the blueprint of GET /_mails?tenant=…&lang=…"""
    pages = Blueprint("mails", __name__, template_folder="data")
    composer = composer_of(services, services.clock)

    @pages.get(PATH)
    @public
    def mails() -> Response:
        slugs = [tenant.slug for tenant in services.tenants.all()]
        slug, tag = request.args.get("tenant", ""), request.args.get("lang", "")
        slug, tag = slug if slug in slugs else slugs[0], tag if tag in COMPLETE else COMPLETE[0]
        shown = [_shown(name, as_sent(composer, slug, tag, name)) for name in SAMPLES]
        response = Response(
            render_template(
                "mails/page.html",
                mails=shown,
                slugs=slugs,
                slug=slug,
                tags=[(one, own_name(one)) for one in COMPLETE],
                tag=tag,
                dir_of_tag=direction(tag),
                path=PATH,
            )
        )
        response.headers["Content-Security-Policy"] = _POLICY
        return response

    return pages


def composer_of(services: Services, clock: Clock) -> MailComposer:
    """Return a MailComposer configured like a worker's."""
    settings, renderer = services.settings, Renderer(TEMPLATES, TRANSLATIONS)
    return MailComposer(
        services.tenants,
        open_mailer(settings.mail, settings.allow_insecure),
        renderer,
        clock,
        base_url=settings.base_url,
        design_of=lambda tenant: design_of(services, tenant),
    )


def as_sent(composer: MailComposer, slug: str, tag: str, name: str) -> Message:
    """Return one of the samples as the company would send it."""
    facts = dict(SAMPLES[name])
    if isinstance(emails := facts.get("emails"), dict):
        facts["emails"] = {what: [{**one, "slug": slug} for one in ones] for what, ones in emails.items()}
    return composer.compose(
        tenant=slug,
        template=name.partition(" ")[0],
        locale=tag,
        recipient="ada@people.example",
        facts=facts,
        reference=_REFERENCE,
    )


def _shown(name: str, message: Message) -> DemoMail:
    html = message.html or ""
    for picture in message.pictures:
        inside = f"data:image/png;base64,{b64encode(picture.body).decode()}"
        html = html.replace(f"cid:{picture.name}", inside)
    return DemoMail(name, message.subject, html, message.text, len((message.html or "").encode()))
