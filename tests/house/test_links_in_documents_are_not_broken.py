"""A link from one document to another that leads to no file, or to no heading of it, fails here."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "deploy" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MANUAL = re.compile(r"docs/operating(?:/[a-z-]+)?\.md(?:#[a-z-]+)?")
ASKED = [ROOT / "portal", ROOT / "deploy", ROOT / "templates"]


def prose(page: Path) -> str:
    """Return the text without code examples."""
    return re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the anchors of headings."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_broken(target: str, beside: Path) -> bool:
    path, _, anchor = target.partition("#")
    page = (beside.parent / path).resolve() if path else beside
    return not page.exists() or bool(anchor and anchor not in anchors(page))


def targets(page: Path) -> Iterator[str]:
    for target in re.findall(r'\]\(([^)\s]+)\)|src="([^"]+)"', prose(page)):
        found = target[0] or target[1]
        if not re.match(r"[a-z]+:", found):
            yield found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_has_an_existing_file_and_heading(page: Path):
    assert [target for target in targets(page) if is_broken(target, page)] == []


def test_references_to_the_manual_in_the_product_exist():
    named = {
        target
        for folder in ASKED
        for path in folder.rglob("*")
        if path.suffix in {".py", ".html", ".yml", ".yaml"}
        for target in MANUAL.findall(path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert [target for target in sorted(named) if is_broken(target, ROOT / "README.md")] == []
