"""The demo's tenant files are valid once address and key are filled in."""

from importlib.resources import files

from portal.tenants.languages import COMPLETE
from portal.tenants.model import Tenant
from portal.tenants.toml import parse
from portal.tenants.words import words_of


def tenant(slug: str) -> Tenant:
    text = (files("portal.demo") / "data" / f"{slug}.toml").read_text(encoding="utf-8")
    filled = text.replace("{base_url}", "http://127.0.0.1:8001").replace("{key_file}", "/run/key")
    return parse(slug, filled, read_secret=lambda source: source)


def test_acme_has_texts_in_each_of_its_languages_and_hides_its_clients() -> None:
    acme = tenant("acme")
    assert acme.name == "Acme Robotics"
    assert acme.tracker.api_key == "file:/run/key"
    assert len(acme.site.locales) >= 8
    assert set(acme.site.locales) <= set(COMPLETE)
    said = [words_of(acme, tag) for tag in acme.site.locales]
    for what in ("tagline", "about", "consent"):
        assert len({getattr(words, what) for words in said}) == len(acme.site.locales)
    assert all(words.stages.keys() == acme.profile.stages.keys() for words in said)
    assert acme.publish.stages == {"Open"}
    assert acme.publish.show_salary
    assert not acme.publish.show_client
    assert acme.apply.consent
    assert acme.apply.phone_region == "DE"


def test_globex_has_three_languages_and_names_its_clients() -> None:
    globex = tenant("globex")
    assert globex.name == "Globex Talent"
    assert globex.site.locales == ("en", "de", "fr")
    assert globex.publish.show_client
    assert globex.publish.show_salary
    assert globex.apply.consent is None
    assert globex.site.accent != tenant("acme").site.accent
