"""Make portal/site/feeds/fonts/share.ttf: Noto Sans in one file, because text of several scripts is shaped in one font.

    npm install --prefix /tmp/f @fontsource/noto-sans @fontsource/noto-sans-arabic @fontsource/noto-sans-hebrew
    python -m venv /tmp/f/venv && /tmp/f/venv/bin/pip install fonttools brotli
    /tmp/f/venv/bin/python tools/share_font.py /tmp/f/node_modules/@fontsource

The fonts are under the SIL Open Font License, whose text stands beside the file.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from fontTools.merge import Merger
from fontTools.ttLib import TTFont

WEIGHT = 600
FAMILIES = ("noto-sans", "noto-sans-arabic", "noto-sans-hebrew")
SCRIPTS = ("latin", "latin-ext", "vietnamese", "greek", "greek-ext", "cyrillic", "cyrillic-ext")
RESULT = Path(__file__).resolve().parent.parent / "portal" / "site" / "feeds" / "fonts"


def main(source: Path) -> None:
    """Write font and licence."""
    names = [f"noto-sans/files/noto-sans-{script}" for script in SCRIPTS]
    names += ["noto-sans-arabic/files/noto-sans-arabic-arabic", "noto-sans-hebrew/files/noto-sans-hebrew-hebrew"]
    with TemporaryDirectory() as folder:
        plain = [
            unpacked(source / f"{name}-{WEIGHT}-normal.woff2", Path(folder) / f"{i}.ttf")
            for i, name in enumerate(names)
        ]
        merged = Merger().merge(plain)
        for record in merged["name"].names:
            if record.nameID in {1, 3, 4, 6, 16}:
                record.string = "CareersShare" if record.nameID == 6 else "Careers Share"
        merged.save(RESULT / "share.ttf")
    licences = [(source / name / "LICENSE").read_text(encoding="utf-8") for name in FAMILIES]
    notices = [text.partition("\n\n")[0] for text in licences]
    (RESULT / "OFL.txt").write_text("\n".join([*notices, "", licences[0].partition("\n\n")[2]]), encoding="utf-8")


def unpacked(woff: Path, plain: Path) -> str:
    """The font without its compression."""
    font = TTFont(woff)
    font.flavor = None
    font.save(plain)
    return str(plain)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
