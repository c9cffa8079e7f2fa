"""Template, language, facts → subject, text and HTML. Jinja alone: the worker needs no web application for it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2
from babel import Locale
from babel.support import Translations
from jinja2.bccache import Bucket

from portal.letters.look import PLAIN, Look

_STYLES = {
    "p": "margin:0 0 16px",
    "ul": "margin:0 0 16px;padding-inline-start:20px",
    "li": "margin:0 0 8px",
    "a": "color:{text};text-decoration:underline;overflow-wrap:anywhere",
}
"""Mail programs look into no stylesheet alike, so each element carries its own; templates are spared it."""
_BARE = re.compile(rf"<({'|'.join(_STYLES)})(?=[ >])(?![^>]*\sstyle=)")


@dataclass(frozen=True, slots=True)
class Rendered:
    """One letter's words."""

    subject: str
    text: str
    html: str


class Compiled(jinja2.BytecodeCache):
    """Templates, compiled once in a process whatever environments they are for; of one kind of environment."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """What is kept of this template, where it is still the same."""
        checksum, code = self._kept.get(bucket.key, ("", b""))
        if checksum == bucket.checksum:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it."""
        self._kept[bucket.key] = bucket.checksum, bucket.bytecode_to_string()


_COMPILED = Compiled()


class Renderer:
    """templates/mail/NAME.txt (its first line is the subject) and templates/mail/NAME.html, each in its layout."""

    def __init__(self, templates: Path, translations: Path) -> None:
        self._templates = templates
        self._translations = translations
        self._environments: dict[str, jinja2.Environment] = {}

    def render(self, template: str, locale: str, facts: Mapping[str, object], look: Look = PLAIN) -> Rendered:
        """The letter in that language, or in English where a sentence is not translated."""
        environment = self._environment(locale)
        direction = Locale.parse(locale, sep="-").text_direction
        about = {"several": False, **facts, "look": look, "locale": locale, "dir": direction}
        words = environment.get_template(f"mail/{template}.txt").render(about)
        subject, _, text = words.partition("\n")
        foot = environment.get_template("mail/foot.txt").render(about, said=text)
        html = environment.get_template(f"mail/{template}.html").render(about, subject=" ".join(subject.split()))
        # What a condition leaves out leaves no gap.
        whole = re.sub(r"\n\s*\n", "\n\n", f"{text.strip()}\n\n{foot.strip()}".strip()) + "\n"
        return Rendered(" ".join(subject.split()), whole, _BARE.sub(lambda tag: _styled(tag[1], look), html).strip())

    def _environment(self, locale: str) -> jinja2.Environment:
        """Made once a language; its templates are compiled once for all of them, which costs more than to write."""
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
        # The extension adds this method to the environment when it is loaded, out of the types' sight.
        install: Callable[..., None] = getattr(environment, "install_gettext_translations")  # noqa: B009  see above
        install(found, newstyle=True)
        self._environments[locale] = environment
        return environment


def _styled(name: str, look: Look) -> str:
    return f'<{name} style="{_STYLES[name].format(text=look.light.text)}"'
