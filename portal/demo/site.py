"""The demo's web application: the portal, with the demo's companies listed at `/`, and the demo's own pages."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

from flask import Blueprint, Response, make_response, render_template
from flask_babel import format_percent, gettext
from werkzeug.datastructures import MultiDict

from portal import app
from portal.demo import folder, mails
from portal.gateway.serving import RsgiApplication
from portal.jobs.posting import Hit, JobLocation, Posting, Query, Salary
from portal.jobs.search import search
from portal.platform.errors import FileKind, UploadReason, UploadRefused
from portal.services import Services
from portal.site.forms.application_form import ApplicationForm
from portal.site.forms.fields import cv
from portal.site.routing.access import public
from portal.tenants.addresses import addresses
from portal.tenants.model import Tenant, TrackerLink

PATH = "/_components"
_COMPANY = Tenant("acme", "Acme Robotics", TrackerLink("http://127.0.0.1", "acme", ""))
_SAID = "You write the layer between “pick up the blue part” and the joints that do it. It is tested on real robots."


def blueprint(services: Services) -> Blueprint:
    """Return the blueprint of GET /_components."""
    pages = Blueprint("components", __name__)

    @pages.get(PATH)
    @public
    def components() -> Response:
        now = services.clock.now()
        company = services.tenants.get(_COMPANY.slug)
        open_now = search.find(services.database, company, Query(size=1), now).hits if company else ()
        plain = Posting(
            id=open_now[0].posting.id if open_now else "job",
            title="Robotics Software Engineer",
            description=f"<p>{_SAID}</p>",
            place=JobLocation(city="Berlin", country="DE"),
            employment_type="fullTime",
            location_type="hybrid",
            created_at=now - timedelta(days=2),
            start_at=None,
            end_at=now + timedelta(days=30),
            salary=Salary("EUR", 60_000, 80_000),
            client=None,
            language="en",
            modified_at=now,
        )
        page = render_template(
            "demo/components.html",
            company=_COMPANY,
            site=addresses(_COMPANY, base_url=services.settings.base_url),
            posting=plain,
            hits=_hits(plain),
            empty=ApplicationForm(None, tenant=_COMPANY),
            wrong=_wrong(),
            files=_files(),
            slugs=("acme", "globex", "nordwind", "hansa", "umbra", "lumen"),
        )
        return make_response(page)

    return pages


def _hits(plain: Posting) -> list[tuple[str, Hit]]:
    """Return jobs as they appear in lists, each with the case that it shows."""
    everywhere = "Berlin, Hamburg, Vienna, Zurich, Lyon, Manchester, Kraków, Boston, Madrid, Milan, Oslo, Ghent"
    long = "Senior Principal Engineer for the Safe Collaboration of People and Machines " * 4
    nothing = replace(
        plain, title="Job", place=JobLocation(), employment_type=None, location_type=None, created_at=None, salary=None
    )
    return [
        ("As most are", Hit(plain, _SAID)),
        ("Of a client", Hit(replace(plain, client="Fernweg Logistics"), _SAID)),
        ("With words that were searched for", Hit(plain, _SAID, ((0, 8),), ((14, 19),))),
        (
            "In another language",
            Hit(replace(plain, title="مهندس برمجيات", language="ar"), "تكتب الطبقة بين الأمر والمفصل."),
        ),
        ("A title of 300 characters", Hit(replace(plain, title=long[:300].strip()), _SAID)),
        ("Twelve places", Hit(replace(plain, place=JobLocation(city=everywhere, country="DE")), _SAID)),
        ("Without anything but a name", Hit(nothing, "")),
    ]


def _wrong() -> ApplicationForm:
    form = ApplicationForm(MultiDict({"firstName": "Ada", "email": "ada", "country": "XX"}), tenant=_COMPANY)
    form.validate()
    return form


def _files() -> list[tuple[str, SimpleNamespace]]:
    """Return the states of the CV field: before a choice, during an upload as static/js/cv.js shows it, and after."""
    facts = {"accept": cv.ACCEPTED_FILES, "max_bytes": 10_485_760, "max_size": cv.size_in_words(10_485_760)}
    facts["hint"] = cv.hint(10_485_760)
    none: dict[str, object] = {"handle": None, "stored": None}
    stored_upload: dict[str, object] = {
        "handle": "kept",
        "stored": SimpleNamespace(filename="Ada Lovelace.pdf"),
        "about": cv.described("application/pdf", 81_920, 2),
    }
    way = {"name": "Ada Lovelace.pdf", "size": f"({cv.size_in_words(9_800_000)})"}
    sending = gettext("Your CV is being uploaded: %(percent)s.", percent=format_percent(0.6))
    no_line = gettext(
        "There is no connection right now. Your CV is kept in this tab and the upload will continue automatically."
    )
    looking = gettext("Your CV has been uploaded and is being checked.")
    refused = UploadRefused(UploadReason.ENCRYPTED, kind=FileKind.PDF)
    states: list[tuple[str, dict[str, object], dict[str, object], UploadRefused | None]] = [
        ("None yet, without scripts", none, {}, None),
        ("None yet", none, {"state": ""}, None),
        ("Being sent", none, {**way, "state": "sending", "share": 0.6, "text": sending}, None),
        ("Waiting for the line", none, {**way, "state": "waiting", "share": 0.6, "text": no_line}, None),
        ("Being checked", none, {**way, "state": "looking", "text": looking}, None),
        ("With the form", none, {**way, "state": "chosen"}, None),
        ("Refused", none, {"state": ""}, refused),
        ("Kept, without scripts", stored_upload, {}, None),
        ("Kept", stored_upload, {"state": ""}, None),
        ("Photographed pages", none, {"state": "", "pages": 3}, None),
    ]
    return [
        (title, SimpleNamespace(**facts, **file, way=shown, errors=[cv.refused(why, limit=0)] if why else []))
        for title, file, shown, why in states
    ]


def production_app() -> RsgiApplication:
    """Return the demo's application, wrapped for the production server. Raises SettingsError, SchemaError."""
    return app.production_app(list_companies=True, extra_blueprints=[blueprint, folder.blueprint, mails.blueprint])
