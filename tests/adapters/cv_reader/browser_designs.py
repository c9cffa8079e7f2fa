"""CVs printed from web pages: modern designs, and Arabic."""

from html import escape

from playwright.sync_api import Browser

from tests.adapters.cv_reader.people import Person
from tests.adapters.cv_reader.story import words
from tests.adapters.cv_reader.word_designs import body, labelled


def _page(person: Person, css: str, inner: str) -> str:
    side = "rtl" if person.language == "ar" else "ltr"
    return (
        f'<!doctype html><html lang="{person.language}" dir="{side}"><meta charset="utf-8"><title>CV</title>'
        f"<style>body{{font:11px sans-serif;margin:0}}h1{{font-size:30px;margin:0}}h2{{font-size:15px}}{css}</style>"
        f"{inner}"
    )


def _story(person: Person) -> str:
    return "".join(
        f"<h2>{escape(heading)}</h2>" + "".join(f"<p>{escape(line)}</p>" for line in lines)
        for heading, lines in body(person)
    )


def _profile(person: Person) -> str:
    if not person.profile:
        return ""
    target = person.profile if person.profile.startswith("http") else f"https://{person.profile}"
    return f'<p><a href="{escape(target)}">{escape(person.profile)}</a></p>'


def sidebar(person: Person) -> str:
    contact = "".join(f"<p>{escape(line)}</p>" for line in (*person.address, person.phone))
    css = "body{display:grid;grid-template-columns:200px 1fr}aside{background:#eee;padding:20px}main{padding:20px}"
    return _page(
        person,
        css,
        f"<aside><h2>{escape(words(person).personal)}</h2>{contact}"
        f'<p><a href="mailto:{person.mail}">{escape(person.mail)}</a></p>{_profile(person)}</aside>'
        f"<main><h1>{escape(person.shown)}</h1><p>{escape(person.job)}</p>{_story(person)}</main>",
    )


def banner(person: Person) -> str:
    css = "header{background:#123;color:#fff;padding:24px;text-align:center}h1{text-transform:uppercase}"
    css += "ul{display:flex;gap:24px;list-style:none;justify-content:center}"
    items = "".join(
        f"<li>{mark} {escape(text)}</li>"
        for mark, text in (
            ("☎", person.phone),
            ("✉", person.mail),
            ("⌂", ", ".join(person.address)),
            ("", person.profile),
        )
        if text
    )
    return _page(
        person,
        css,
        f"<header><h1>{escape(person.shown)}</h1><p>{escape(person.job)}</p><ul>{items}</ul></header>{_story(person)}",
    )


def form(person: Person) -> str:
    """Labels on one side and values on the other, as in official forms."""
    rows = "".join(f"<tr><th>{escape(label)}</th><td>{escape(value)}</td></tr>" for label, value in labelled(person))
    css = "th{text-align:end;padding-inline-end:20px;font-weight:400}"
    return _page(person, css, f"<h1>{escape(words(person).title)}</h1><table>{rows}</table>{_story(person)}")


def printed(browser: Browser, page: str) -> bytes:
    """Return it as PDF."""
    window = browser.new_page()
    try:
        window.set_content(page)
        return window.pdf(format="A4")
    finally:
        window.close()
