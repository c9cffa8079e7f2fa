"""What lets others find the jobs: JSON-LD and share pictures on pages, sitemaps, robots.txt."""

from flask import Blueprint, g
from flask_babel import get_locale
from markupsafe import Markup

from portal.parts import Parts
from portal.reach import linked_data
from portal.vacancies.posting import Posting
from portal.web.assembly import here
from portal.web.locale import language


def blueprint(parts: Parts) -> Blueprint:
    """Functions for the templates of list and job, and GET /robots.txt, /sitemap.xml and what they name."""
    pages = Blueprint("found", __name__)

    @pages.app_template_global()
    def job_data(posting: Posting) -> list[Markup]:
        return linked_data.of_job(posting, g.tenant, here(parts, g.tenant), get_locale())

    @pages.app_template_global()
    def site_data() -> list[Markup]:
        return linked_data.of_list(g.tenant, here(parts, g.tenant), language(g.tenant))

    return pages
