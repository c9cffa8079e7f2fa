"""Letters that wait to be sent to a person, named as they will read them."""

from flask import render_template
from flask_babel import force_locale

from portal.letters.queue import WaitingLetter


def subject_of(letter: WaitingLetter) -> str:
    """The first line of its template, in its own language; the tenant is that of the page."""
    with force_locale(letter.locale.replace("-", "_")):
        words = render_template(f"mail/{letter.template}.txt", **letter.facts)
    return " ".join(words.partition("\n")[0].split())
