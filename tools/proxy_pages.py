"""Write the error pages of a reverse proxy, each in all languages, because a proxy cannot choose one.

    .venv/bin/python tools/proxy_pages.py [deploy/nginx/pages]

Their texts are those of the portal's own pages for the same errors, so that they are translated once. Run it again
after a change of these texts.
"""

import gettext
import html
import sys
from pathlib import Path

from babel import Locale

from portal.tenants.languages import COMPLETE

ROOT = Path(__file__).resolve().parent.parent
CATALOGUES = ROOT / "portal" / "translations"
PAGES = {
    "away": (
        "This page is temporarily unavailable",
        (
            "This could not be accepted right now. If you sent a form, go back to it: what you entered is still "
            "there. Please try again in a minute."
        ),
    ),
    "too-large": (
        "This is too large",
        (
            "What you sent is larger than this site accepts. Go back, choose a smaller file and send it again. "
            "Saving a CV as a PDF often makes it smaller."
        ),
    ),
}
AROUND = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-inline-size: 40rem; margin: 10vh auto; padding-inline: 1rem; }}
h1, h2 {{ font-size: 1.25rem; margin-block: 2rem 0; }}
p {{ margin-block: 0.25rem; }}
</style>
</head>
<body>
<main>
{sections}
</main>
</body>
</html>
"""


def page(name: str) -> str:
    """Return the whole page; English comes first, as in the portal's list of languages."""
    sections = [_section(tag, *PAGES[name]) for tag in COMPLETE]
    return AROUND.format(title=html.escape(PAGES[name][0]), sections="\n".join(sections))


def _section(tag: str, heading: str, text: str) -> str:
    translate = gettext.translation("messages", CATALOGUES, [tag], fallback=tag == "en").gettext
    level = "h1" if tag == "en" else "h2"
    direction = ' dir="rtl"' if Locale.parse(tag, sep="-").text_direction == "rtl" else ""
    words = f"<{level}>{html.escape(translate(heading))}</{level}>\n<p>{html.escape(translate(text))}</p>"
    return f'<section lang="{tag}"{direction}>\n{words}\n</section>'


def main(folder: Path) -> int:
    """Write one file for each page."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        (folder / f"{name}.html").write_text(page(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "deploy" / "nginx" / "pages"))
