"""Every email, as sent, is valid in both parts, in languages of both directions."""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

import html5lib
import pytest
from PIL import Image

from portal.background.mails.deliver import MailComposer
from portal.background.mails.render import MailDesign, logos_of
from portal.demo import mails
from portal.jobs.mirror import version
from portal.site.design import accent
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.checking import checked
from portal.tenants.pictures.tables import PictureKind
from tests import builders

BASE = "https://careers.example"
OWN = {"careers.example"}
FILE = """
[publish]
stages = ["Open"]
[site]
locales = ["en", "de"]
accent = "{accent}"
logo = "https://www.acme.example/logo.png"
[apply]
contact = "people@acme.example"
"""
CLIPPED = 100_000
"""Bytes of HTML after which a large provider shows the rest on another page."""
TEMPLATES = Path(__file__).parents[3] / "templates" / "mail"


def acme(folder: Path, colour: str = "#0b5fff") -> builders.Portal:
    made = builders.portal(folder, base_url=BASE)
    made.add_tenant("acme", "Acme & Söhne", FILE.format(accent=colour))
    return made


@pytest.fixture(scope="module")
def composer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MailComposer]:
    made = acme(tmp_path_factory.mktemp("mails") / "portal")
    yield mails.composer_of(made.parts, made.parts.clock)
    made.parts.database.close()


def sent(composer: MailComposer, name: str, tag: str = "en") -> EmailMessage:
    found = message_from_bytes(mails.as_sent(composer, "acme", tag, name).as_email().as_bytes(), policy=default)
    assert isinstance(found, EmailMessage)
    return found


def html(letter: EmailMessage) -> str:
    body = letter.get_body(("html",))
    assert body is not None
    return body.get_content()


def plain(letter: EmailMessage) -> str:
    body = letter.get_body(("plain",))
    assert body is not None
    return body.get_content()


def parsed(letter: EmailMessage) -> Element:
    parser = html5lib.HTMLParser(html5lib.getTreeBuilder("etree"), strict=True, namespaceHTMLElements=False)
    return parser.parse(html(letter).strip())


def words(root: Element) -> str:
    body = root.find("body")
    assert body is not None
    return " ".join("".join(body.itertext()).split())


every_mail = pytest.mark.parametrize("name", mails.SAMPLES)


def test_each_template_is_among_the_samples():
    shared = {"layout", "parts", "foot"}
    known = {path.stem for path in TEMPLATES.glob("*.*")} - shared
    assert known == {name.partition(" ")[0] for name in mails.SAMPLES}


@every_mail
@pytest.mark.parametrize("tag", ["en", "ar"])
def test_html_parts_are_valid_tables(composer: MailComposer, name: str, tag: str):
    root = parsed(sent(composer, name, tag))
    assert (root.get("lang"), root.get("dir")) == (tag, "rtl" if tag == "ar" else "ltr")
    assert len(root.findall(".//h1")) == 1
    assert not {"script", "form", "link", "iframe", "object"} & {one.tag for one in root.iter()}
    styles = " ".join(one.get("style", "") for one in root.iter())
    assert not re.search(r"flex|grid|position:|float:|url\(", styles + html(sent(composer, name, tag)))
    assert all(one.get("role") == "presentation" for one in root.iter("table"))


@every_mail
def test_emails_have_one_button_at_most(composer: MailComposer, name: str):
    pressed = [one for one in parsed(sent(composer, name)).iter("td") if "press" in one.get("class", "").split()]
    assert len(pressed) <= 1
    for cell in pressed:
        (link,) = cell.iter("a")
        assert cell.get("bgcolor") == accent.light("#0b5fff").fill
        assert "padding:12px 24px" in link.attrib["style"]


@every_mail
def test_both_parts_contain_the_same_links(composer: MailComposer, name: str):
    letter = sent(composer, name)
    linked = [one.attrib["href"] for one in parsed(letter).iter("a") if not one.attrib["href"].startswith("mailto:")]
    assert set(linked) == set(re.findall(r"https?://\S+", plain(letter)))
    assert {urlsplit(one).hostname for one in linked} <= OWN
    assert not re.search(r"(src|background)=\"?(https?:)?//", html(letter))


@every_mail
def test_the_text_part_contains_everything_in_the_html_part(composer: MailComposer, name: str):
    letter = sent(composer, name)
    pressed = {"".join(one.itertext()).strip() for one in parsed(letter).iter("a")}
    told = " ".join(plain(letter).split())
    for element in parsed(letter).iter():
        said = " ".join(" ".join(element.itertext()).split())
        if element.tag in {"p", "li"} and said not in pressed:
            for sentence in re.split(r"(?<=[.:?!]) ", said):
                assert sentence.rstrip(":") in told or any(one in sentence for one in pressed), sentence


@every_mail
def test_the_contact_is_in_both_parts(composer: MailComposer, name: str):
    letter = sent(composer, name)
    assert plain(letter).count("people@acme.example") == 1
    assert words(parsed(letter)).count("people@acme.example") == 1


def test_the_largest_email_is_not_truncated_by_mail_programs(composer: MailComposer):
    long = "A title of three hundred characters " * 9
    jobs = [[f"job-{n:050}", long[:300], "A city with a long name, United Kingdom", "Client " * 20] for n in range(10)]
    facts = {**mails.SAMPLES["alert"], "jobs": jobs, "more": "yes", "search": long[:200]}
    alert = composer.compose(
        tenant="acme", template="alert", locale="en", recipient="a@b.example", facts=facts, reference="r"
    )
    one = {**mails.SAMPLES["refused"], "title": long[:300], "key": "a1" * 32, "slug": "acme"}
    said = {what: [one] * 20 for what in ("receipt", "confirm", "again", "refused", "unsafe")}
    gathered = composer.compose(
        tenant="acme",
        template="gathered",
        locale="en",
        recipient="a@b.example",
        facts={"emails": said, "more": 7},
        reference="r",
    )
    assert len((alert.html or "").encode()) < CLIPPED
    assert len((gathered.html or "").encode()) < CLIPPED


@pytest.mark.parametrize("name", ["code", "address_code", "confirm_code"])
def test_the_subject_shows_the_code(composer: MailComposer, name: str):
    code = mails.SAMPLES[name]["code"]
    assert sent(composer, name)["Subject"] == f"{code} is your code for Acme & Söhne"


@every_mail
def test_emails_contain_no_commands(composer: MailComposer, name: str):
    assert not re.search(r"\bportal [a-z]+ [a-z]", plain(sent(composer, name)))


@every_mail
def test_the_time_zone_is_named_once_in_emails_with_times(composer: MailComposer, name: str):
    letter = sent(composer, name)
    times = len(re.findall(r"\d:\d\d", plain(letter)))
    assert plain(letter).count("Central European Time") == words(parsed(letter)).count("Central European Time")
    assert plain(letter).count("Central European Time") == (1 if times else 0)


@pytest.mark.parametrize("name", ["code", "address_code"])
def test_a_code_is_large_and_first_in_the_preview(composer: MailComposer, name: str):
    letter = sent(composer, name)
    assert words(parsed(letter)).startswith("40718295")
    (shown,) = (one for one in parsed(letter).iter("strong") if one.text == "40718295")
    assert "font-size:32px" in shown.attrib["style"]
    assert shown.get("dir") == "ltr"
    assert re.findall(r"(?<!\d)\d{8}(?!\d)", plain(letter)) == ["40718295"]


@pytest.mark.parametrize("colour", ["#0b5fff", "#ffe600", "#ffffff", "#000000", "#ff6a00", "#7a7a7a"])
def test_any_accent_colour_is_readable_in_both_colour_schemes(tmp_path: Path, colour: str):
    made = acme(tmp_path / "portal", colour)
    page = mails.as_sent(mails.composer_of(made.parts, made.parts.clock), "acme", "en", "alert").html or ""
    made.parts.database.close()
    button = re.search(r'bgcolor="(#\w{6})"[^>]*>\s*<a [^>]*color:(#\w{6});text-decoration:none', page)
    assert button
    assert accent.contrast(button[1], button[2]) >= 4.5
    for link in re.findall(r"<a [^>]*line-height:26px;font-weight:600;color:(#\w{6})", page):
        assert accent.contrast(link, "#ffffff") >= 4.5
    dark = page.partition("prefers-color-scheme: dark")[2]
    fill, on_fill = (
        re.search(pattern, dark) for pattern in (r"\.press \{ background: (#\w+)", r"\.press a \{ color: (#\w+)")
    )
    assert fill
    assert on_fill
    assert accent.contrast(fill[1], on_fill[1]) >= 4.5
    text = re.search(r"\.ink a \{ color: (#\w+)", dark)
    assert text
    assert accent.contrast(text[1], "#1b1e24") >= 4.5


def drawn(size: tuple[int, int], kind: str = "PNG") -> bytes:
    out = BytesIO()
    Image.new("RGBA", size, (200, 30, 30, 128)).save(out, kind)
    return out.getvalue()


def hang(made: builders.Portal, data: bytes, slot: str = PictureKind.LOGO) -> None:
    picture = checked(data, PictureKind.LOGO)
    stored_pictures.keep(
        made.parts.database,
        "acme",
        slot,
        f"https://www.acme.example/{slot}.png",
        picture,
        until=made.parts.clock.now(),
        renew=version.renew,
    )


def test_the_logo_is_attached_and_not_loaded_from_a_server(tmp_path: Path):
    made = acme(tmp_path / "portal")
    hang(made, drawn((600, 150)))
    letter = sent(mails.composer_of(made.parts, made.parts.clock), "receipt")
    made.parts.database.close()
    (picture,) = (part for part in letter.walk() if part.get_content_maintype() == "image")
    shown = parsed(letter).find(".//img")
    assert shown is not None
    assert f"<{shown.attrib['src'].removeprefix('cid:')}>" == picture["Content-ID"]
    assert shown.attrib["alt"] == "Acme & Söhne"
    with Image.open(BytesIO(picture.get_content())) as found:
        assert (found.format, found.width, found.height) == ("PNG", 320, 80)
    assert (shown.attrib["width"], shown.attrib["height"]) == ("160", "40")


def test_dark_mode_shows_the_logo_for_dark_mode(tmp_path: Path):
    made = builders.portal(tmp_path / "portal", base_url=BASE)
    dark_logo = 'logo_dark = "https://www.acme.example/logo_dark.png"\naccent'
    made.add_tenant("acme", "Acme & Söhne", FILE.format(accent="#0b5fff").replace("accent", dark_logo, 1))
    hang(made, drawn((600, 150)))
    hang(made, drawn((300, 150)), "logo_dark")
    letter = sent(mails.composer_of(made.parts, made.parts.clock), "receipt")
    made.parts.database.close()
    attached = {part["Content-ID"] for part in letter.walk() if part.get_content_maintype() == "image"}
    light, dark = parsed(letter).findall(".//img")
    assert {f"<{one.attrib['src'].removeprefix('cid:')}>" for one in (light, dark)} == attached
    assert (light.attrib["class"], dark.attrib["class"]) == ("logo-light", "logo-dark")
    assert "display:none" in dark.attrib["style"], "mail programs without dark mode show one logo"


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 40"><path fill="#f00" d="M0 0h100v40H0z"/>%s</svg>'


def test_an_svg_logo_is_attached_as_a_bitmap(tmp_path: Path):
    made = acme(tmp_path / "portal")
    hang(made, SVG % b"")
    letter = sent(mails.composer_of(made.parts, made.parts.clock), "receipt")
    made.parts.database.close()
    (picture,) = (part for part in letter.walk() if part.get_content_maintype() == "image")
    with Image.open(BytesIO(picture.get_content())) as found:
        assert (found.format, found.width, found.height) == ("PNG", 200, 80)
        assert found.convert("RGB").getpixel((100, 40)) == (255, 0, 0)


def test_an_svg_logo_that_needs_fonts_is_replaced_by_the_name(tmp_path: Path):
    made = acme(tmp_path / "portal")
    hang(made, SVG % b'<text x="9" y="30">Acme</text>')
    letter = sent(mails.composer_of(made.parts, made.parts.clock), "receipt")
    made.parts.database.close()
    assert parsed(letter).find(".//img") is None
    assert words(parsed(letter)).count("Acme & Söhne") >= 2


def test_emails_of_several_companies_have_neutral_colours(tmp_path: Path):
    made = acme(tmp_path / "portal", "#ff0000")
    hang(made, drawn((600, 150)))
    facts = {**mails.SAMPLES["gathered"], "several": True}
    facts["emails"] = {what: [{**one, "slug": "acme"} for one in ones] for what, ones in facts["emails"].items()}
    letter = mails.composer_of(made.parts, made.parts.clock).compose(
        tenant="acme",
        template="gathered",
        locale="en",
        recipient="a@b.example",
        facts=facts,
        reference="r",
        of_several=True,
    )
    look = MailDesign(
        accent.light("#ff0000"),
        accent.dark("#ff0000"),
        *logos_of(made.parts.database, made.parts.tenants.require("acme")),
    )
    made.parts.database.close()
    assert letter.pictures == ()
    assert look.logo is not None
    assert look.light.fill not in (letter.html or "")
    assert "people@acme.example" not in (letter.html or "") + letter.text


@every_mail
def test_markup_in_a_job_title_is_escaped(composer: MailComposer, name: str):
    evil = '<b>Cook</b>"><script>\r\nBcc: all@people.example'
    facts = {key: evil if key in {"title", "search"} else value for key, value in mails.SAMPLES[name].items()}
    if "emails" in facts:
        pytest.skip("its titles are rows of the applications, which the gathered letter's own tests spoil")
    if "jobs" in facts:
        facts["jobs"] = [["job-1", evil, evil, evil]]
    written = composer.compose(
        tenant="acme",
        template=name.partition(" ")[0],
        locale="en",
        recipient="a@b.example",
        facts=facts,
        reference="r",
    )
    letter = message_from_bytes(written.as_email().as_bytes(), policy=default)
    assert letter["Bcc"] is None
    assert "<script" not in (written.html or "")
    assert "<b>" not in (written.html or "")
