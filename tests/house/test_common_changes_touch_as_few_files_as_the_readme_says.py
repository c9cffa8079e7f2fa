"""A new language, email, feed, setting or page needs changes in as many files as the README says."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import pytest
from flask import Blueprint, render_template
from jinja2 import ChoiceLoader, DictLoader
from pydantic import Field

from portal.app import create_app
from portal.platform.config import variables
from portal.platform.config.settings import Settings
from portal.services import Services
from portal.site.feeds.formats import FEEDS
from portal.site.routing.access import public
from portal.site.routing.tenant import for_tenant
from portal.tenants.languages import COMPLETE
from portal.tenants.model import Tenant
from tests import builders

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PRODUCT = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("portal", "tools")
    for path in (ROOT / folder).rglob("*.py")
    if "migrations" not in path.parts
)
MAILS = {path.stem for path in (ROOT / "templates" / "mail").glob("*.txt")} - {"foot"}
NOT_OF_PAGES = {
    "portal/jobs/search/occupations.py": "languages of the table of occupations",
    "portal/jobs/search/words.py": "stemmers of postings",
    "portal/jobs/text/language.py": "languages of postings",
    "portal/site/design/theme.py": "the letters that languages of the world need",
    "tools/gazetteer.py": "languages of the source's data",
}


@cache
def literals(module: str) -> frozenset[str]:
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    return frozenset(
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def modules_that_name(names: set[str], *, more_than: int) -> list[str]:
    return [module for module in PRODUCT if len(names & literals(module)) > more_than]


def test_one_module_lists_the_languages_of_pages():
    found = modules_that_name(set(COMPLETE) - {"en", "it"}, more_than=1)  # "it" is also an English word
    assert set(found) == {"portal/tenants/languages.py", *NOT_OF_PAGES}


def test_no_module_lists_all_emails():
    assert modules_that_name(MAILS, more_than=len(MAILS) // 3) == []


def test_no_module_lists_all_feeds():
    names = {feed.name for feed in FEEDS}
    assert len(names) == len(list((ROOT / "portal/site/feeds/formats").glob("[!_]*.py"))) >= 4
    for name in names:
        own = [module for module in PRODUCT if name in literals(module)]
        assert [module for module in own if "/formats/" not in module] == [], name
        assert len(own) == 1


def test_no_module_imports_the_format_of_a_feed():
    written = re.compile(r"(from|import) portal\.site\.feeds\.formats(\.\w| import [^F])")
    assert [module for module in PRODUCT if written.search((ROOT / module).read_text(encoding="utf-8"))] == []


@dataclass(frozen=True, slots=True)
class MoreSettings(Settings):
    """The settings with one more line."""

    folder: Annotated[Path, Field(alias="PORTAL_FOLDER")] = Path("somewhere")


def test_a_new_setting_needs_only_one_line(tmp_path: Path):
    given = {"PORTAL_SECRET_KEY": "x" * 16, "PORTAL_HOME": str(tmp_path), "PORTAL_FOLDER": "here"}
    assert variables.read(MoreSettings, given, {}).folder == tmp_path / "here"
    assert variables.misspelt(given, MoreSettings) == []
    assert "is PORTAL_FOLDER meant?" in variables.misspelt({"PORTAL_FOLDR": "x"}, MoreSettings)[0]


def test_few_modules_outside_the_configuration_name_many_settings():
    """`portal init` asks for those that every installation has to decide; the demo decides them itself."""
    names = {alias for alias in literals("portal/platform/config/settings.py") if alias.startswith("PORTAL_")}
    assert len(names) > 25
    asking = {"portal/cli/init.py", "portal/cli/installation_files.py", "portal/cli/demo.py"}
    assert set(modules_that_name(names, more_than=5)) - asking == {"portal/platform/config/settings.py"}


def extra(services: Services) -> Blueprint:
    pages = Blueprint("extra", __name__)

    @pages.get("/<slug>/extra")
    @public
    @for_tenant(services.tenants)
    def page(tenant: Tenant) -> str:
        return render_template("extra.html")

    return pages


@pytest.fixture
def made(tmp_path: Path) -> Iterator[builders.Portal]:
    found = builders.portal(tmp_path)
    found.add_tenant("acme", "Acme Robotics", '[site]\nlocales = ["en", "de"]\n')
    yield found
    found.parts.database.close()


def test_a_new_page_needs_only_its_view_and_its_template(made: builders.Portal):
    """Its third file is portal/tenants/addresses.py, which other pages link to it by."""
    made.app = create_app(made.parts, extra_blueprints=[extra])
    text = '{% extends "layout.html" %}{% block main %}<h1>An extra page</h1>{% endblock %}'
    assert made.app.jinja_loader is not None
    made.app.jinja_loader = ChoiceLoader([made.app.jinja_loader, DictLoader({"extra.html": text})])
    with made.browser() as browser:
        answer = browser.get("/acme/extra?lang=de")
    assert answer.status_code == 200
    assert '<html lang="de"' in answer.text
    assert "<h1>An extra page</h1>" in answer.text
    assert "Acme Robotics" in answer.text
    assert "lang=en" in answer.text or 'hreflang="en"' in answer.text
    assert "Content-Security-Policy" in answer.headers


def test_the_readme_describes_each_of_these_changes():
    for what in ("a page", "a language", "an email", "a feed", "a setting"):
        assert f"**To add {what}" in README, what
