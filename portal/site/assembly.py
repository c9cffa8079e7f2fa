"""Assembles the web application: registers the features' blueprints and adds once what all pages share."""

from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Request, request
from flask.sessions import SessionInterface
from flask_babel import Babel, get_locale
from jinja2 import StrictUndefined

from portal.jobs.posting import Salary
from portal.platform import local_time
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.platform.logs.request import current as request_id
from portal.site import errors, headers, request_log
from portal.site.design import icons, markup, pictures, snippet
from portal.site.design import theme as motif
from portal.site.design.assets import Assets
from portal.site.design.theme import Theme
from portal.site.routing import framing, hosts, openapi, origin, tenant
from portal.site.words import locale, value_labels
from portal.tenants.addresses import Addresses, addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.pictures.stored_pictures import person_slot
from portal.tenants.words import words_of


class NoSessions(SessionInterface):
    """A session interface without sessions, so that a public page cannot set Flask's session cookie by mistake."""

    def open_session(self, app: Flask, request: Request) -> None:  # noqa: ARG002  Flask's signature
        """Return None; writing to `flask.session` raises Flask's own error."""
        return


def begin(app: Flask) -> Assets:
    """Set up what every application with pages has: no sessions of Flask's, strict templates, static files."""
    app.session_interface = NoSessions()
    app.url_map.merge_slashes = False  # with it, Flask would redirect to the host of the Host header
    jinja = app.jinja_env
    jinja.undefined, jinja.trim_blocks, jinja.lstrip_blocks = StrictUndefined, True, True
    assets = Assets(Path(app.static_folder or ""))
    assets.serve(app)
    jinja.globals["asset"] = assets.address
    return assets


def assemble(
    app: Flask,
    blueprints: Iterable[Blueprint],
    database: Database,
    tenants: Tenants,
    seal: Seal,
    clock: Clock,
    base_url: str,
    *,
    store: str | None,
    require_schema: Callable[[], None],
) -> None:
    """Register the blueprints in `app` and give their pages tenant, language, headers, errors and addresses.

    store: see headers.install. require_schema: see errors.install.
    """
    assets = begin(app)
    Babel(app, locale_selector=locale.select)
    theme = Theme(assets)
    _templates(app, database, theme, base_url)
    request_log.install(app, seal)
    tenant.refuse_unknown_hosts(app)
    headers.install(app, base_url=base_url, store=store)
    headers.install_cors(app, tenants)
    errors.install(app, tenants, require_schema, base_url=base_url)
    origin.install(app, own=partial(_own_origins, base_url), listed=partial(_listed_origins, tenants))
    described = openapi.blueprint(app, base_url=base_url)
    shared = (
        theme.blueprint(tenants),
        pictures.blueprint(database, tenants, clock),
        icons.blueprint(database, tenants, clock, assets.text("img/icon.svg")),
        hosts.blueprint(tenants),
    )
    for one in (*blueprints, *shared, described):
        app.register_blueprint(one)


def links_of(found: Tenant, *, base_url: str) -> Addresses:
    """Return the addresses for links of the current page, in its language. base_url: PORTAL_BASE_URL."""
    return addresses(
        found,
        base_url=base_url,
        own_host=tenant.by_own_host(),
        framed=framing.framed(),
        lang=locale.language(found),
    )


def _own_origins(base_url: str) -> set[str]:
    return origin.own_origins(base_url=base_url, host=request.host)


def _listed_origins(tenants: Tenants) -> tuple[str, ...]:
    tenant.recognise(tenants, request)
    found = tenant.current()
    return found.embed_origins if found else ()


def _salary(offer: Salary) -> str | None:
    """Return a salary in the page's language, with its pay period if the tenant states one; None without an amount."""
    found = tenant.current()
    return locale.salary(offer, get_locale(), found.publish.salary_unit if found else None)


def _attribute(label: str) -> tuple[str, str, str | None]:
    """Return (label, language of the label, language of its values) for a filter or field that the tenant names."""
    found = tenant.current()
    if found is None:
        return label, "", None
    label_and_language = value_labels.attribute_label(found, label), value_labels.attribute_language(found, label)
    return *label_and_language, value_labels.values_language(found, label)


def _times() -> dict[str, Any]:
    """Return the functions with which templates format times, in the page's language and the tenant's time zone."""
    return {
        "date_of": lambda instant: local_time.date_of(instant, locale.zone()),
        "last_date_of": lambda instant: local_time.last_date_of(instant, locale.zone()),
        "day": lambda instant: local_time.day_in_words(local_time.date_of(instant, locale.zone()), get_locale()),
        "last_day": lambda instant: local_time.day_in_words(
            local_time.last_date_of(instant, locale.zone()), get_locale()
        ),
        "moment_in_words": lambda instant: local_time.in_words(instant, get_locale(), locale.zone()),
        "recent_moment": locale.recent_moment,
        "recent_day": locale.recent_day,
        "time_zone": lambda: local_time.zone_in_words(get_locale(), locale.zone()),
    }


def _templates(app: Flask, database: Database, theme: Theme, base_url: str) -> None:
    app.jinja_env.globals.update(
        **_times(),
        attribute=_attribute,
        described=markup.description,
        early_letters=theme.early_letters,
        employment=value_labels.EMPLOYMENT,
        frame_styles=theme.in_a_frame,
        highlighted=markup.highlighted,
        own_name=locale.own_name,
        how_far=lambda hit: value_labels.how_far(hit, get_locale()),
        similar_title=lambda hit: value_labels.similar_title(hit, get_locale()),
        language_name=lambda tag: locale.name_of(tag, get_locale()),
        location=value_labels.LOCATION,
        lacking_language=locale.lacking_language,
        language_offer=cache(locale.offer),
        other_language=markup.other_language,
        posted=locale.posted,
        text_language=locale.text_language,
        open_graph_locale=locale.open_graph_locale,
        country_name=lambda code: locale.country(code, get_locale()),
        motif=motif.motif,
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
        """Return the variables of every template: tenant, tenant_words and site (Addresses), None on a page of no
        tenant; lang, dir; analytics, the address of the tenant's script or None.

        in_language(): the address of this page in another language. picture("logo"), picture("cover_dark"): the stored
        picture, else None; portrait(person): that of a person in tenant_words. icons(): links to the site's icons.
        """
        found = tenant.current()
        lang = locale.language(found) if found else locale.DEFAULT
        site = links_of(found, base_url=base_url) if found else None
        shown = partial(pictures.shown, database, found)

        def in_language(tag: str) -> str:
            return site.same_page(request.path, tag) if site and found else ""

        return {
            "tenant": found,
            "site": site,
            "tenant_words": words_of(found, lang) if found else None,
            "lang": lang,
            "dir": locale.direction(lang),
            "framed": framing.framed(),
            "analytics": headers.analytics_script(found),
            "has_unknown_language": found is not None and locale.is_unknown(found),
            "in_language": in_language,
            "icons": lambda: icons.links(site, found, shown()) if site and found else (),
            "picture": lambda slot: shown().get(slot),
            "portrait": lambda person: shown().get(person_slot(person.picture)) if person.picture else None,
        }
