"""Regenerate static/fonts/: the fonts that a tenant can choose, one file per script, so that pages load few files.

    npm install --prefix /tmp/f @fontsource-variable/{inter,figtree,source-serif-4}
    python -m venv /tmp/f/venv && /tmp/f/venv/bin/pip install fonttools brotli
    /tmp/f/venv/bin/python tools/site_fonts.py /tmp/f/node_modules/@fontsource-variable

They contain only the weights that pages use and the letters of European languages. The fonts are under the SIL Open
Font License, whose text is stored beside each.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

FAMILIES = {"inter": "inter", "figtree": "figtree", "source-serif": "source-serif-4"}
_SIGNS = "ıŒœẞˆ˚˜‐‑‒–—―‘’‚‛“”„‟†•…\u202f‰′″‹›⁄€™−"
RENAMED = {"source-serif": "Careers Serif"}
"""Families whose licence reserves the name for the complete font."""
LETTERS = {
    "latin": [*range(0x20, 0x7F), *range(0xA0, 0x100), *map(ord, _SIGNS)],
    "latin-ext": [*range(0x100, 0x131), *range(0x132, 0x152), *range(0x154, 0x180), *range(0x218, 0x21C)],
    "greek": list(range(0x370, 0x400)),
    "cyrillic": list(range(0x400, 0x460)),
}
WEIGHTS = (400, 700)
MOST = 60 * 1024
RESULT = Path(__file__).resolve().parent.parent / "static" / "fonts"


def main(source: Path) -> None:
    """Write fonts and licences; fail if a font is too large to load quickly."""
    RESULT.mkdir(exist_ok=True)
    for name, package in FAMILIES.items():
        licence = (source / package / "LICENSE").read_text(encoding="utf-8")
        whose = TTFont(source / package / "files" / f"{package}-latin-wght-normal.woff2")["name"].getDebugName(0)
        (RESULT / f"{name}-OFL.txt").write_text(f"{whose}\n\n{licence.partition(chr(10) * 2)[2]}", encoding="utf-8")
        for script, letters in LETTERS.items():
            found = source / package / "files" / f"{package}-{script}-wght-normal.woff2"
            if found.exists():
                write(found, RESULT / f"{name}-{script}.woff2", letters, RENAMED.get(name))


def write(source: Path, result: Path, letters: list[int], other_name: str | None) -> None:
    """Write the file of one script of one family."""
    font = TTFont(source)
    options = Options(flavor="woff2", layout_features=["kern", "liga", "ccmp", "locl", "mark", "mkmk", "tnum"])
    subset = Subsetter(options)
    subset.populate(unicodes=letters)
    subset.subset(font)
    font = instantiateVariableFont(font, {"wght": WEIGHTS})
    for record in font["name"].names if other_name else ():
        if record.nameID in {1, 3, 4, 6, 16, 25}:
            record.string = other_name.replace(" ", "") if record.nameID in {6, 25} else other_name
    font.flavor = "woff2"
    font.save(result)
    if result.stat().st_size > MOST:
        raise SystemExit(f"{result.name} has {result.stat().st_size:,} bytes; at most {MOST:,}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
