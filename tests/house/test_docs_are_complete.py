"""Undocumented settings and commands fail here, and so do unassessed requirements of ASVS."""

import re
from pathlib import Path

import click

from portal.cli import portal

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ASVS = (ROOT / "docs" / "asvs.md").read_text(encoding="utf-8")
LEVELS = {
    "1.1": "22", "1.2": "1111122223", "1.3": "112222222223", "1.4": "222", "1.5": "123",
    "2.1": "122", "2.2": "112", "2.3": "12223", "2.4": "23",
    "3.1": "3", "3.2": "113", "3.3": "12223", "3.4": "11222233", "3.5": "11122333", "3.6": "3", "3.7": "22333",
    "4.1": "12233", "4.2": "23333", "4.3": "22", "4.4": "1222",
    "5.1": "2", "5.2": "112333", "5.3": "113", "5.4": "222",
    "6.1": "122", "6.2": "111111112222", "6.3": "11223333", "6.4": "112233", "6.5": "22222333", "6.6": "2223",
    "6.7": "33", "6.8": "2222",
    "7.1": "222", "7.2": "1111", "7.3": "22", "7.4": "11222", "7.5": "223", "7.6": "22",
    "8.1": "1233", "8.2": "1123", "8.3": "133", "8.4": "23",
    "9.1": "111", "9.2": "1222",
    "10.1": "22", "10.2": "223", "10.3": "22223", "10.4": "1111122222233333", "10.5": "22222", "10.6": "22",
    "10.7": "222",
    "11.1": "2233", "11.2": "22233", "11.3": "11233", "11.4": "1222", "11.5": "23", "11.6": "23", "11.7": "33",
    "12.1": "12233", "12.2": "11", "12.3": "22223",
    "13.1": "2333", "13.2": "222223", "13.3": "2233", "13.4": "1222233",
    "14.1": "22", "14.2": "12223333", "14.3": "122",
    "15.1": "12233", "15.2": "12233", "15.3": "1222222", "15.4": "3333",
    "16.1": "2", "16.2": "22222", "16.3": "2222", "16.4": "222", "16.5": "2223",
    "17.1": "23", "17.2": "22223333", "17.3": "22",
}  # fmt: skip
"""Sections of OWASP ASVS 5.0.0, and the level of each requirement in them, in order."""
VERDICTS = ["met", "partly", "not met", "not applicable"]


def variables() -> set[str]:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "portal/platform/config").glob("*.py"))
    return set(re.findall(r'"((?:PORTAL|TRACKER)_[A-Z0-9_]+)"', source))


def commands(group: click.Group, prefix: str = "portal") -> list[str]:
    found: list[str] = []
    asked = click.Context(group)
    for name in group.list_commands(asked):
        here, command = f"{prefix} {name}", group.get_command(asked, name)
        found += commands(command, here) if isinstance(command, click.Group) else [here]
    return found


def test_every_setting_is_in_the_readme():
    assert len(variables()) > 25
    missing = [name for name in sorted(variables()) if f"`{name}`" not in README]
    assert not missing


def test_the_readme_names_no_setting_that_does_not_exist():
    named = set(re.findall(r"`((?:PORTAL|TRACKER)_[A-Z0-9_]+)`", README))
    assert named <= variables()


def test_every_command_is_in_the_readme():
    missing = [name for name in commands(portal) if name not in README]
    assert not missing


def test_every_top_folder_is_in_the_directory_map():
    folders = [p.name for p in (ROOT / "portal").iterdir() if (p / "__init__.py").exists()]
    missing = [name for name in folders if f"{name}/" not in README]
    assert not missing


def test_every_dependency_has_a_documented_reason():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    blocks = re.findall(r"(?ms)^(?:dependencies|tracing|dev|build|sslyze|pip-audit|wapiti) = \[\n(.*?)^\]", text)
    lines = [line for block in blocks for line in block.splitlines() if line.strip().startswith('"')]
    assert len(lines) > 25
    assert [line for line in lines if not re.search(r",\s+# \w", line)] == []


def test_requirements_have_hashes_and_no_urls():
    for path in (ROOT / "requirements").glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        pins = re.findall(r"(?m)^[a-z0-9_.\[\]-]+==", text, re.IGNORECASE)
        assert pins
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text


def test_every_decision_has_context_choice_and_consequences():
    pages = list((ROOT / "docs" / "decisions").glob("*.md"))
    assert pages
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for heading in ("## Context", "## Choice", "## Consequences"):
            assert heading in text, f"{page.name} lacks {heading}"


def requirements() -> list[list[str]]:
    """number, requirement, level, verdict, proof"""
    return [line.strip("| ").split(" | ") for line in ASVS.splitlines() if re.match(r"\| \d+\.\d+\.\d+ ", line)]


def test_every_requirement_of_asvs_is_listed_once_with_its_level():
    asked = [(f"{part}.{n}", level) for part, levels in LEVELS.items() for n, level in enumerate(levels, 1)]
    assert len(asked) == 345
    assert [(row[0], row[2]) for row in requirements()] == [(number, level) for number, level in asked if level != "3"]


def test_every_requirement_of_asvs_has_a_verdict_and_a_proof():
    rows = requirements()
    assert [row for row in rows if len(row) != 5 or row[3] not in VERDICTS or len(row[4]) < 10] == []
    met = [row[0] for row in rows if row[3] == "met" and not re.search(r"tests/|\]\(|`|\. ?$", row[4])]
    assert met == [], "a test, a document, or a sentence"
    told = {line.split(" | ")[0]: line.split(" | ")[1:] for line in ASVS.splitlines() if line.startswith("| level ")}
    for level in "12":
        counts = [sum((row[2], row[3]) == (level, verdict) for row in rows) for verdict in VERDICTS]
        assert told[f"| level {level}"] == [*map(str, counts), f"{sum(counts)} |"]


def test_every_file_named_in_the_asvs_page_exists():
    named = set(re.findall(r"`((?:tests|portal|docs|deploy)/[\w/.-]+)`", ASVS))
    assert len(named) > 100
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
