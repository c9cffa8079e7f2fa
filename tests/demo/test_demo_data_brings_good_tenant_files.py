"""The demo's tenant files are accepted like anyone's once address and key are filled in."""

from importlib.resources import files

from portal.tenants.model import Tenant
from portal.tenants.toml import parse


def tenant(slug: str) -> Tenant:
    text = (files("portal.demo") / "data" / f"{slug}.toml").read_text(encoding="utf-8")
    filled = text.replace("{base_url}", "http://127.0.0.1:8001").replace("{key_file}", "/run/key")
    return parse(slug, filled, read_secret=lambda source: source)


def test_acme_speaks_english_and_german_and_hides_its_clients() -> None:
    acme = tenant("acme")
    assert acme.name == "Acme Robotics"
    assert acme.tracker.api_key == "file:/run/key"
    assert acme.site.locales == ("en", "de")
    assert acme.publish.stages == {"Open"}
    assert acme.publish.show_salary
    assert not acme.publish.show_client
    assert acme.apply.consent
    assert acme.apply.phone_region == "DE"


def test_globex_speaks_english_and_french_and_names_its_clients() -> None:
    globex = tenant("globex")
    assert globex.name == "Globex Talent"
    assert globex.site.locales == ("en", "fr")
    assert globex.publish.show_client
    assert globex.publish.show_salary
    assert globex.apply.consent is None
    assert globex.site.accent != tenant("acme").site.accent
