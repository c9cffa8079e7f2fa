"""A careers site with everything that search engines can use."""

from pathlib import Path

from tests import builders
from tests.site.browse.jobs import Careers

FILE = """
[publish]
stages = ["Open"]
show_salary = true
show_client = true
{publish}
[site]
locales = ["en", "de"]
tagline = "Robots that are good company"
{site}
{more}
"""


def found_site(
    folder: Path, *, publish: str = 'salary_unit = "YEAR"', site: str = "", more: str = "", **settings: object
) -> Careers:
    """publish, site: lines of these sections of the tenant file. more: other sections."""
    made = builders.portal(folder, **settings)  # type: ignore[arg-type]  settings by name
    made.add_tenant("acme", "Acme Robotics", FILE.format(publish=publish, site=site, more=more))
    return Careers(made)
