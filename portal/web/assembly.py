"""What all pages share, put around the slices once."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Request, request
from flask.sessions import SessionInterface
from flask_babel import Babel, get_locale
from jinja2 import StrictUndefined

from portal import moments
from portal.logs.request import current as request_id
from portal.parts import Parts
from portal.tenants.addresses import Addresses, addresses
from portal.tenants.model import Tenant
from portal.tenants.words import words_of
from portal.vacancies.posting import Salary
from portal.web import (
    asked,
    describing,
    errors,
    facing,
    framing,
    headers,
    icons,
    locale,
    markup,
    motif,
    own_hosts,
    pictures,
    sharing,
    snippet,
    tenant,
    words,
)
from portal.web.assets import Assets
from portal.web.theme import Theme


class _NoSessions(SessionInterface):
    """Flask's cookie session is not used: a public page cannot set a cookie by mistake."""

    def open_session(self, app: Flask, request: Request) -> None:  # noqa: ARG002  Flask's signature
        """There is none; whoever writes to `flask.session` gets Flask's own error."""
        return


def assemble(app: Flask, parts: Parts, slices: Iterable[Blueprint]) -> None:
    """Register the slices in `app` and give their pages tenant, language, headers, errors and addresses."""
    app.session_interface = _NoSessions()
    app.url_map.merge_slashes = False  # it would redirect to where the Host header says
    assets = Assets(Path(app.static_folder or ""))
    assets.serve(app)
    Babel(app, locale_selector=locale.select)
    theme = Theme(assets)
    _templates(app, parts, assets, theme)
    asked.install(app, parts)
    tenant.refuse_unknown_hosts(app)
    headers.install(app, base_url=parts.settings.base_url, store=parts.store.origin)
    sharing.install(app, parts.tenants)
    errors.install(app, parts)
    described = describing.blueprint(app, base_url=parts.settings.base_url)
    shared = (
        theme.blueprint(parts),
        pictures.blueprint(parts),
        icons.blueprint(parts, assets.text("img/icon.svg")),
        own_hosts.blueprint(parts),
    )
    for one in (*slices, *shared, described):
        app.register_blueprint(one)

    facing.put_before(app, parts)


def here(parts: Parts, found: Tenant) -> Addresses:
    """Addresses for the links of the page being made, in its language."""
    return addresses(
        found,
        base_url=parts.settings.base_url,
        own_host=tenant.by_own_host(),
        framed=framing.framed(),
        lang=locale.language(found),
    )


def _salary(offer: Salary) -> str | None:
    """In the words of the page; with what it is paid for where the tenant says so."""
    found = tenant.current()
    return locale.salary(offer, get_locale(), found.publish.salary_unit if found else None)


def _attribute(label: str) -> tuple[str, str, str | None]:
    """What a company calls something it names of a job, in which language; and in which its values are."""
    found = tenant.current()
    if found is None:
        return label, "", None
    said = words.attribute_label(found, label), words.attribute_language(found, label)
    return *said, words.values_language(found, label)


def _templates(app: Flask, parts: Parts, assets: Assets, theme: Theme) -> None:
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(
        asset=assets.address,
        attribute=_attribute,
        described=markup.description,
        early_letters=theme.early_letters,
        frame_styles=theme.in_a_frame,
        highlighted=markup.highlighted,
        own_name=locale.own_name,
        how_far=lambda hit: words.how_far(hit, get_locale()),
        language_name=lambda tag: locale.name_of(tag, get_locale()),
        lacking_language=locale.lacking_language,
        language_offer=cache(locale.offer),
        other_language=markup.other_language,
        posted=locale.posted,
        country_name=lambda code: locale.country(code, get_locale()),
        motif=motif.motif,
        date_of=lambda instant: moments.date_of(instant, locale.zone()),
        last_date_of=lambda instant: moments.last_date_of(instant, locale.zone()),
        day=lambda instant: moments.day_in_words(moments.date_of(instant, locale.zone()), get_locale()),
        last_day=lambda instant: moments.day_in_words(moments.last_date_of(instant, locale.zone()), get_locale()),
        moment_in_words=lambda instant: moments.in_words(instant, get_locale(), locale.zone()),
        request_id=request_id,
        page_title=snippet.page_title,
        job_description=snippet.job_description,
        beside_each_other=lambda named: locale.beside_each_other(named, get_locale()),
        place_in_words=lambda place: locale.place_line(place, get_locale()),
        look=theme.tag,
        salary=_salary,
    )

    @app.context_processor
    def page() -> dict[str, Any]:
        """tenant, tenant_words, site (Addresses): None on a page of no tenant; lang, dir.

        in_language(): this page in another.
        picture("logo"), picture("cover"): what can be shown of them, else None. icons(): links to the site's own.
        """
        found = tenant.current()
        lang = locale.language(found) if found else locale.DEFAULT
        site = here(parts, found) if found else None

        def in_language(tag: str) -> str:
            return site.same_page(request.path, tag) if site and found else ""

        return {
            "tenant": found,
            "site": site,
            "tenant_words": words_of(found, lang) if found else None,
            "lang": lang,
            "dir": locale.direction(lang),
            "framed": framing.framed(),
            "has_unknown_language": found is not None and locale.is_unknown(found),
            "in_language": in_language,
            "icons": lambda: icons.links(site, found, pictures.shown(parts, found)) if site and found else (),
            "picture": lambda kind: pictures.shown(parts, found).get(kind),
        }
