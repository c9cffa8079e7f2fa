"""`make translations`: update every catalogue from templates and code, without fuzzy matches, and compile it.

`tools/translations.py XX` adds a language: an empty catalogue beside the others.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
CATALOGUES = ROOT / "portal" / "translations"
# msgid marks texts that are translated elsewhere, where they are shown.
KEYWORDS = ["lazy_gettext", "lazy_ngettext:1,2", "msgid"]
# Without dates and names, so that concurrent updates conflict only where texts differ.
HEADER = """msgid ""
msgstr ""
"Language: {language}\\n"
"Plural-Forms: {plurals}\\n"
"Content-Type: text/plain; charset=utf-8\\n"

"""


def extracted() -> Catalog:
    """Return every translatable message in templates and code."""
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder) / "messages.pot"
        keywords = [part for word in KEYWORDS for part in ("-k", word)]
        command = [sys.executable, "-m", "babel.messages.frontend", "-q", "extract", "-F", "babel.cfg", *keywords]
        subprocess.run([*command, "--add-location=file", "-o", str(template), "."], cwd=ROOT, check=True)
        with template.open("rb") as read:
            return read_po(read)


def path_of(tag: str) -> Path:
    """Return the path of a language's catalogue."""
    return CATALOGUES / tag / "LC_MESSAGES" / "messages.po"


def read(tag: str) -> Catalog:
    """Return the catalogue of a language; an empty one if there is none yet."""
    if not path_of(tag).exists():
        return Catalog(locale=tag)
    with path_of(tag).open("rb") as file:
        return read_po(file, locale=tag)


def write(tag: str, catalogue: Catalog) -> None:
    """Write the catalogue to its file."""
    path_of(tag).parent.mkdir(parents=True, exist_ok=True)
    with path_of(tag).open("wb") as file:
        file.write(HEADER.format(language=tag, plurals=catalogue.plural_forms).encode())
        write_po(file, catalogue, width=120, sort_by_file=True, ignore_obsolete=True, omit_header=True)


def is_said(message: Message) -> bool:
    """Return whether a message is translated, in each of its plural forms."""
    return bool(message.string if isinstance(message.string, str) else all(message.string or [""]))


def lacking(catalogue: Catalog) -> list[str]:
    """Return the messages that a catalogue does not translate."""
    return [str(message.id) for message in catalogue if message.id and not is_said(message)]


def main(new: list[str]) -> None:
    """Update every catalogue, and print the messages that it lacks."""
    sys.path.insert(0, str(ROOT))
    from hatch_build import compile_catalogues

    template = extracted()
    for tag in sorted({*new, *(path.name for path in CATALOGUES.iterdir() if path.is_dir())}):
        catalogue = read(tag)
        catalogue.update(template, no_fuzzy_matching=True)
        write(tag, catalogue)
        missing = lacking(catalogue)
        print(f"{tag}: complete" if not missing else f"{tag}: {len(missing)} sentences are missing")
    compile_catalogues(CATALOGUES)


if __name__ == "__main__":
    main(sys.argv[1:])
