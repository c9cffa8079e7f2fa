"""The loader script that a website includes, and the page shown where a frame is refused.

What a frame shows are the pages of the other features.
"""

import json
import re
from pathlib import Path

from flask import Blueprint, Response, current_app, make_response, render_template, request
from flask_babel import force_locale, gettext

from portal.gateway.compression import coded_once
from portal.gateway.response_cache import FOR_EVER, Kept
from portal.site.page_cache import CachedPage, keepable
from portal.site.routing.access import framable_anywhere, public
from portal.site.routing.framing import origin_of
from portal.tenants.addresses import addresses
from portal.tenants.folder import Tenants
from portal.tenants.languages import COMPLETE

PATH = "/embed.js"

_SENTENCE = re.compile(r'\b_\("([^"]+)"\)')
_UNNEEDED = re.compile(r"^\s*//.*\n|^\s+|\s+// [^\n\"'`]*$|\n", re.MULTILINE)
"""Comments and breaks of lines: every statement of the script ends with a semicolon."""


def language_of(asked: str | None) -> str:
    """Return the language of COMPLETE that `asked` names (`?lang=de-AT`); the first, English, for anything else."""
    said = (asked or "").partition("-")[0]
    return said if said in COMPLETE else COMPLETE[0]


def in_language(source: str, tag: str) -> str:
    """Return the script with its sentences in a language of COMPLETE."""
    with force_locale(tag):
        spoken = _SENTENCE.sub(lambda found: json.dumps(gettext(found[1]), ensure_ascii=False), source)
    return _UNNEEDED.sub("", spoken.replace("LANG = _()", f"LANG = {json.dumps(tag)}"))


_FOR_AN_HOUR = "public, max-age=3600, stale-while-revalidate=86400"
"""Its address is in other sites' pages for years, so it cannot change with its content."""


def blueprint(tenants: Tenants, *, base_url: str) -> Blueprint:
    """Return the blueprint of GET /embed.js, /{slug}/embed/refused, which replaces a frame (routing/framing.py)."""
    pages = Blueprint("frame", __name__)
    loaders: dict[str, Kept] = {}

    @pages.get(PATH)
    @public
    def loader() -> Response:
        tag = language_of(request.args.get("lang"))
        if tag not in loaders:
            loaders[tag] = _loader(tag)
        return CachedPage(loaders[tag])

    @pages.get("/<slug>/embed/refused")
    @public
    @framable_anywhere
    def refused(slug: str) -> Response:
        tenant = tenants.get(slug)
        site = addresses(tenant, base_url=base_url).outside() if tenant else None
        page = render_template(
            "embed/refused.html",
            slug=slug,
            company=tenant.name if tenant else None,
            jobs=site.jobs() if site else None,
            asking=origin_of(request.headers.get("Referer", "")),
        )
        response = make_response(page, 403 if tenant else 404)
        response.headers["Cache-Control"] = "no-store"
        return response

    return pages


def _loader(tag: str) -> Kept:
    source = (Path(current_app.static_folder or "") / "js" / "embed.js").read_text(encoding="utf-8")
    response = Response(in_language(source, tag), mimetype="text/javascript")
    response.headers["Cache-Control"] = _FOR_AN_HOUR
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return keepable(response, FOR_EVER, code=coded_once)
