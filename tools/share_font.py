"""Generate the fonts of share pictures and PDFs: Noto Sans merged into one file each, for text in several scripts.

    npm install --prefix /tmp/f @fontsource/noto-sans @fontsource/noto-sans-arabic @fontsource/noto-sans-hebrew
    python -m venv /tmp/f/venv && /tmp/f/venv/bin/pip install fonttools brotli
    /tmp/f/venv/bin/python tools/share_font.py /tmp/f/node_modules/@fontsource

The fonts are under the SIL Open Font License, whose text is stored beside them.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from fontTools.merge import Merger
from fontTools.ttLib import TTFont

FAMILIES = ("noto-sans", "noto-sans-arabic", "noto-sans-hebrew")
SCRIPTS = ("latin", "latin-ext", "vietnamese", "greek", "greek-ext", "cyrillic", "cyrillic-ext")
SITE = Path(__file__).resolve().parent.parent / "portal" / "site"
RESULTS = {"Careers Share": (600, SITE / "feeds" / "fonts" / "share.ttf")} | {
    "Careers Paper": (400, SITE / "account" / "fonts" / "paper.ttf")
}
"""Family → weight and file."""


def main(source: Path) -> None:
    """Write fonts and licences."""
    names = [f"noto-sans/files/noto-sans-{script}" for script in SCRIPTS]
    names += ["noto-sans-arabic/files/noto-sans-arabic-arabic", "noto-sans-hebrew/files/noto-sans-hebrew-hebrew"]
    licences = [(source / name / "LICENSE").read_text(encoding="utf-8") for name in FAMILIES]
    notices = [text.partition("\n\n")[0] for text in licences]
    for family, (weight, result) in RESULTS.items():
        with TemporaryDirectory() as folder:
            plain = [
                unpacked(source / f"{name}-{weight}-normal.woff2", Path(folder) / f"{i}.ttf")
                for i, name in enumerate(names)
            ]
            merged = Merger().merge(plain)
            for record in merged["name"].names:
                if record.nameID in {1, 3, 4, 6, 16}:
                    record.string = family.replace(" ", "") if record.nameID == 6 else family
            result.parent.mkdir(exist_ok=True)
            merged.save(result)
        text = "\n".join([*notices, "", licences[0].partition("\n\n")[2]])
        (result.parent / "OFL.txt").write_text(text, encoding="utf-8")


def unpacked(woff: Path, plain: Path) -> str:
    """Return the font without its compression."""
    font = TTFont(woff)
    font.flavor = None
    font.save(plain)
    return str(plain)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
