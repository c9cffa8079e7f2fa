"""`make translations`: the words of templates and code into every catalogue, without guesses; compiled at the end.

`tools/translations.py XX` begins a language: an empty catalogue beside the others.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
CATALOGUES = ROOT / "portal" / "translations"
# msgid marks words that are translated where they are shown, under another name.
KEYWORDS = ["lazy_gettext", "lazy_ngettext:1,2", "msgid"]
# Without dates and names: two people who update at once differ only where words do.
HEADER = """msgid ""
msgstr ""
"Language: {language}\\n"
"Plural-Forms: {plurals}\\n"
"Content-Type: text/plain; charset=utf-8\\n"

"""


def extracted() -> Catalog:
    """Every word that is said somewhere."""
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder) / "messages.pot"
        keywords = [part for word in KEYWORDS for part in ("-k", word)]
        command = [sys.executable, "-m", "babel.messages.frontend", "-q", "extract", "-F", "babel.cfg", *keywords]
        subprocess.run([*command, "--add-location=file", "-o", str(template), "."], cwd=ROOT, check=True)
        with template.open("rb") as read:
            return read_po(read)


def path_of(tag: str) -> Path:
    """Where the catalogue of a language is."""
    return CATALOGUES / tag / "LC_MESSAGES" / "messages.po"


def read(tag: str) -> Catalog:
    """The catalogue of a language; an empty one where there is none yet."""
    if not path_of(tag).exists():
        return Catalog(locale=tag)
    with path_of(tag).open("rb") as file:
        return read_po(file, locale=tag)


def write(tag: str, catalogue: Catalog) -> None:
    """Put it into the tree."""
    path_of(tag).parent.mkdir(parents=True, exist_ok=True)
    with path_of(tag).open("wb") as file:
        file.write(HEADER.format(language=tag, plurals=catalogue.plural_forms).encode())
        write_po(file, catalogue, width=120, sort_by_file=True, ignore_obsolete=True, omit_header=True)


def is_said(message: Message) -> bool:
    """Whether it is translated, in each of its forms."""
    return bool(message.string if isinstance(message.string, str) else all(message.string or [""]))


def lacking(catalogue: Catalog) -> list[str]:
    """What it does not say."""
    return [str(message.id) for message in catalogue if message.id and not is_said(message)]


def main(new: list[str]) -> None:
    """Update every catalogue, and tell what each of them lacks."""
    sys.path.insert(0, str(ROOT))
    from hatch_build import compile_catalogues

    template = extracted()
    for tag in sorted({*new, *(path.name for path in CATALOGUES.iterdir() if path.is_dir())}):
        catalogue = read(tag)
        catalogue.update(template, no_fuzzy_matching=True)
        write(tag, catalogue)
        missing = lacking(catalogue)
        print(f"{tag}: all is said" if not missing else f"{tag}: {len(missing)} sentences are missing")
    compile_catalogues(CATALOGUES)


if __name__ == "__main__":
    main(sys.argv[1:])
