"""Template, language, facts → subject, text and HTML. Jinja alone: the worker needs no web application for it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2
from babel import Locale
from babel.support import Translations


@dataclass(frozen=True, slots=True)
class Rendered:
    """One letter's words."""

    subject: str
    text: str
    html: str


class Renderer:
    """templates/mail/NAME.txt (its first line is the subject) and templates/mail/NAME.html."""

    def __init__(self, templates: Path, translations: Path) -> None:
        self._templates = templates
        self._translations = translations

    def render(self, template: str, locale: str, facts: Mapping[str, object]) -> Rendered:
        """The letter in that language, or in English where a sentence is not translated."""
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self._templates),
            autoescape=jinja2.select_autoescape(["html"], default=False),
            undefined=jinja2.StrictUndefined,
            extensions=["jinja2.ext.i18n"],
        )
        found = Translations.load(self._translations, [locale.replace("-", "_")])
        # The extension adds this method to the environment when it is loaded, out of the types' sight.
        install: Callable[..., None] = getattr(environment, "install_gettext_translations")  # noqa: B009  see above
        install(found, newstyle=True)
        words = environment.get_template(f"mail/{template}.txt").render(facts)
        subject, _, text = words.partition("\n")
        head = {"subject": subject.strip(), "locale": locale, "dir": Locale.parse(locale, sep="-").text_direction}
        html = environment.get_template(f"mail/{template}.html").render({**facts, **head})
        # What a condition leaves out leaves no gap.
        return Rendered(" ".join(subject.split()), re.sub(r"\n\s*\n", "\n\n", text.strip()) + "\n", html)
