"""Template, language, facts → subject, text and HTML. Jinja alone, so that the worker needs no web application."""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import jinja2
from babel import Locale
from babel.support import Translations
from jinja2.bccache import Bucket
from PIL import Image

from portal.adapters.mail.message import InlineImage
from portal.platform.database.db import Database
from portal.tenants.model import Tenant
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.tables import PictureKind

log = logging.getLogger(__name__)

_LOGO_HEIGHT = 80
"""Pixels: twice the height in an email."""
_DARK_PAPER = "#1b1e24"
"""The background colour of an email in dark mode, as in templates/mail/layout.html."""


@dataclass(frozen=True, slots=True)
class MailColours:
    """The colours of one scheme, each as #rrggbb.

    on_fill is for text on fill; text is for links; soft is the background of what is emphasised.
    """

    fill: str
    on_fill: str
    text: str
    soft: str


@dataclass(frozen=True, slots=True)
class MailDesign:
    """The colours for readers' light and dark mode. logo: None shows the company's name instead.

    logo_dark: shown in its place in dark mode, by email programs that support this.
    """

    light: MailColours
    dark: MailColours
    logo: InlineImage | None = None
    logo_dark: InlineImage | None = None


PLAIN = MailDesign(
    MailColours("#33383f", "#ffffff", "#33383f", "#eeeeec"),
    MailColours("#d5d8dd", "#14161a", "#d5d8dd", "#2a2e35"),
)
"""The design of an email that concerns several companies."""


def plain(tenant: Tenant) -> MailDesign:  # noqa: ARG001  one design for every company
    """Return the default design, where no company's colours are configured."""
    return PLAIN


def logos_of(db: Database, tenant: Tenant) -> tuple[InlineImage | None, InlineImage | None]:
    """Return the logo and the one for dark mode as PNG, which every mail program shows; None if it cannot be drawn."""
    shown = stored_pictures.shown(db, tenant)
    light, dark = shown.get(PictureKind.LOGO), shown.get(f"{PictureKind.LOGO}_dark")
    return _drawn(db, tenant, light, "white"), _drawn(db, tenant, dark, _DARK_PAPER)


def _drawn(
    db: Database, tenant: Tenant, shown: stored_pictures.ShownPicture | None, paper_colour: str
) -> InlineImage | None:
    if shown is None:
        return None
    drawn = stored_pictures.pixels(db, tenant.slug, shown, (4 * _LOGO_HEIGHT, _LOGO_HEIGHT))
    return _as_png(shown.digest, drawn, paper_colour) if drawn else None


@lru_cache(200)
def _as_png(digest: str, body: bytes, paper_colour: str) -> InlineImage:
    """Return the logo on the background colour that it was drawn for; on another its letters could be invisible."""
    with Image.open(BytesIO(body)) as picture:
        drawn = picture.convert("RGBA")
    drawn.thumbnail((4 * _LOGO_HEIGHT, _LOGO_HEIGHT), Image.Resampling.LANCZOS)
    paper = Image.new("RGB", drawn.size, paper_colour)
    paper.paste(drawn, mask=drawn.getchannel("A"))
    out = BytesIO()
    paper.save(out, "PNG", optimize=True)
    return InlineImage(f"{digest}@logo", out.getvalue(), drawn.width, drawn.height)


_STYLES = {
    "p": "margin:0 0 16px",
    "ul": "margin:0 0 16px;padding-inline-start:20px",
    "li": "margin:0 0 8px",
    "a": "color:{text};text-decoration:underline;display:inline-block;max-width:100%;overflow-wrap:anywhere",
}
"""Inline styles by element, added after rendering: mail programs support style sheets differently."""
_BARE = re.compile(rf"<({'|'.join(_STYLES)})(?=[ >])(?![^>]*\sstyle=)")


@dataclass(frozen=True, slots=True)
class Rendered:
    """The subject, text part and HTML part of one email."""

    subject: str
    text: str
    html: str


class CompiledTemplates(jinja2.BytecodeCache):
    """Compiled templates, shared by all environments of a process; these must all be configured alike."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the compiled template, if its source is unchanged."""
        checksum, code = self._kept.get(bucket.key, ("", b""))
        if checksum == bucket.checksum:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the compiled template."""
        self._kept[bucket.key] = bucket.checksum, bucket.bytecode_to_string()


_COMPILED = CompiledTemplates()


class Renderer:
    """The renderer of templates/mail/NAME.txt (its first line is the subject) and NAME.html, each in its layout."""

    def __init__(self, templates: Path, translations: Path) -> None:
        self._templates = templates
        self._translations = translations
        self._environments: dict[str, jinja2.Environment] = {}

    def render(self, template: str, locale: str, facts: Mapping[str, object], design: MailDesign = PLAIN) -> Rendered:
        """Return the email in that language, or in English where a sentence is not translated."""
        environment = self._environment(locale)
        direction = Locale.parse(locale, sep="-").text_direction
        about = {"several": False, **facts, "design": design, "locale": locale, "dir": direction}
        words = environment.get_template(f"mail/{template}.txt").render(about)
        subject, _, text = words.partition("\n")
        foot = environment.get_template("mail/foot.txt").render(about, body_text=text)
        html = environment.get_template(f"mail/{template}.html").render(about, subject=" ".join(subject.split()))
        # Remove the blank lines that a false condition leaves behind.
        whole = re.sub(r"\n\s*\n", "\n\n", f"{text.strip()}\n\n{foot.strip()}".strip()) + "\n"
        return Rendered(" ".join(subject.split()), whole, _BARE.sub(lambda tag: _styled(tag[1], design), html).strip())

    def _environment(self, locale: str) -> jinja2.Environment:
        """Return the environment of a language, made once.

        Compiled templates are shared: compiling costs more than rendering.
        """
        known = self._environments.get(locale)
        if known is not None:
            return known
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self._templates),
            autoescape=jinja2.select_autoescape(["html"], default=False),
            undefined=jinja2.StrictUndefined,
            extensions=["jinja2.ext.i18n"],
            bytecode_cache=_COMPILED,
        )
        found = Translations.load(self._translations, [locale.replace("-", "_")])
        # The extension adds this method when it is loaded, invisible to the type checker.
        install: Callable[..., None] = getattr(environment, "install_gettext_translations")  # noqa: B009  see above
        install(found, newstyle=True)
        self._environments[locale] = environment
        return environment


def _styled(name: str, design: MailDesign) -> str:
    return f'<{name} style="{_STYLES[name].format(text=design.light.text)}"'
