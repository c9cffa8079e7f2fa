"""The language is part of the address: a link that is shared shows the same page to everyone."""

from datetime import date

import pytest
from babel import Locale
from babel.numbers import get_currency_symbol

from portal.jobs.posting import Salary
from portal.platform import local_time
from portal.site.words import locale


@pytest.fixture
def spoken(site):
    site.tenant("acme", more='site = {locales = ["en", "de-AT", "ar"]}')
    return site


@pytest.mark.parametrize(
    ("query", "html"),
    [
        ("", '<html lang="en" dir="ltr">'),
        ("?lang=de-AT", '<html lang="de-AT" dir="ltr">'),
        ("?lang=ar", '<html lang="ar" dir="rtl">'),
        ("?lang=AR", '<html lang="ar" dir="rtl">'),
        ("?lang=de_AT", '<html lang="de-AT" dir="ltr">'),
        ("?lang=fr", '<html lang="en" dir="ltr">'),
        ("?lang=%3Cscript%3E", '<html lang="en" dir="ltr">'),
    ],
)
def test_the_page_declares_its_language(spoken, query, html):
    assert html in spoken.get(f"/acme/nothing{query}", Accept_Language="fr, de").text


def test_links_keep_the_language(spoken):
    page = spoken.get("/acme/nothing?lang=ar").text
    assert 'href="/acme/?lang=ar"' in page
    assert 'name="lang" value="ar"' in page


def test_the_other_languages_are_one_link_away(spoken):
    page = spoken.get("/acme/nothing?lang=ar").text
    assert '<a href="/acme/nothing" hreflang="en" lang="en">English</a>' in page
    assert '<a href="/acme/nothing?lang=de-AT" hreflang="de-AT" lang="de-AT">Deutsch (Österreich)</a>' in page


EN, DE = Locale("en"), Locale("de")


def test_dates_and_countries_have_the_format_of_the_language():
    day = date(2026, 3, 12)
    assert local_time.day_in_words(day, EN) == "12 March 2026"
    assert local_time.day_in_words(day, DE) == "12. März 2026"
    assert locale.country("DE", DE) == "Deutschland"
    assert locale.country("Middle-earth", DE) == "Middle-earth"


@pytest.mark.parametrize(
    ("offer", "en", "de"),
    [
        (Salary("EUR", 50000, 65000), "€50,000 – €65,000", "50.000 € – 65.000 €"),
        (Salary("EUR", 50000, None), "€50,000", "50.000 €"),
        (Salary("EUR", None, 65000.5), "€65,000.50", "65.000,50 €"),
        (Salary("JPY", 4_000_000, 4_000_000), "¥4,000,000", "4.000.000 ¥"),
        (Salary("PLN", 9000, None), "PLN 9,000", "9.000 PLN"),
        (Salary(None, 10, 20), "10 – 20", "10 – 20"),
        (Salary("points", 10, 20), "10 points – 20 points", "10 points – 20 points"),
    ],
)
def test_salaries_have_the_format_of_the_language(offer, en, de):
    assert (locale.salary(offer, EN) or "").replace("\xa0", " ") == en
    assert (locale.salary(offer, DE) or "").replace("\xa0", " ") == de


@pytest.mark.parametrize("currency", ["USD", "GBP", "EUR"])
def test_a_currency_symbol_of_letters_and_signs_keeps_its_order_in_arabic(currency: str):
    arabic = Locale.parse("ar")
    symbol = get_currency_symbol(currency, arabic)
    assert f"\u200e{symbol}\u200e" in (locale.salary(Salary(currency, 36_000, None), arabic) or "")


def test_a_salary_without_an_amount_is_not_shown():
    assert locale.salary(Salary("EUR", None, None), EN) is None
