"""Compiles the catalogues of words where the package is built or installed, so that no compiled file is kept in git."""

import os
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)
"""The same words make the same bytes, whenever they are compiled."""


def compiled(source: Path) -> bytes:
    """A catalogue as gettext reads it. What is fuzzy is left out."""
    with source.open("rb") as read:
        catalogue = read_po(read, locale=source.parents[1].name)
    catalogue.creation_date = catalogue.revision_date = _NO_DATE
    written = BytesIO()
    write_mo(written, catalogue)
    return written.getvalue()


def compile_catalogues(translations: Path) -> None:
    """XX/LC_MESSAGES/messages.po → messages.mo beside it."""
    for source in sorted(translations.glob("*/LC_MESSAGES/messages.po")):
        unfinished = source.with_suffix(f".{os.getpid()}.mo.new")  # two builds at once do not take each other's away
        unfinished.write_bytes(compiled(source))
        unfinished.replace(source.with_suffix(".mo"))


class Catalogues(BuildHookInterface[Any]):
    """For wheels and for installs in place alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  hatchling's signature
        """Compile them before the files are gathered."""
        compile_catalogues(Path(self.root) / "portal" / "translations")
