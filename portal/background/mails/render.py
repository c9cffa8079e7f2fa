"""Template, language, facts → subject, text and HTML. Jinja alone, so that the worker needs no web application."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2
from babel import Locale
from babel.support import Translations
from jinja2.bccache import Bucket

from portal.background.mails.design import PLAIN, MailDesign

_STYLES = {
    "p": "margin:0 0 16px",
    "ul": "margin:0 0 16px;padding-inline-start:20px",
    "li": "margin:0 0 8px",
    "a": "color:{text};text-decoration:underline;overflow-wrap:anywhere",
}
"""Inline styles by element, added after rendering: mail programs support style sheets differently."""
_BARE = re.compile(rf"<({'|'.join(_STYLES)})(?=[ >])(?![^>]*\sstyle=)")


@dataclass(frozen=True, slots=True)
class Rendered:
    """The subject, text part and HTML part of one email."""

    subject: str
    text: str
    html: str


class Compiled(jinja2.BytecodeCache):
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


_COMPILED = Compiled()


class Renderer:
    """The renderer of templates/mail/NAME.txt (its first line is the subject) and NAME.html, each in its layout."""

    def __init__(self, templates: Path, translations: Path) -> None:
        self._templates = templates
        self._translations = translations
        self._environments: dict[str, jinja2.Environment] = {}

    def render(self, template: str, locale: str, facts: Mapping[str, object], look: MailDesign = PLAIN) -> Rendered:
        """Return the email in that language, or in English where a sentence is not translated."""
        environment = self._environment(locale)
        direction = Locale.parse(locale, sep="-").text_direction
        about = {"several": False, **facts, "look": look, "locale": locale, "dir": direction}
        words = environment.get_template(f"mail/{template}.txt").render(about)
        subject, _, text = words.partition("\n")
        foot = environment.get_template("mail/foot.txt").render(about, said=text)
        html = environment.get_template(f"mail/{template}.html").render(about, subject=" ".join(subject.split()))
        # A condition that is false leaves no gap of blank lines.
        whole = re.sub(r"\n\s*\n", "\n\n", f"{text.strip()}\n\n{foot.strip()}".strip()) + "\n"
        return Rendered(" ".join(subject.split()), whole, _BARE.sub(lambda tag: _styled(tag[1], look), html).strip())

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


def _styled(name: str, look: MailDesign) -> str:
    return f'<{name} style="{_STYLES[name].format(text=look.light.text)}"'
