"""A setting or a command that nobody wrote down fails here."""

import re
from pathlib import Path

import click

from portal.cli import portal

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


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


def test_every_dependency_says_why_it_is_here():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    blocks = re.findall(r"(?ms)^(?:dependencies|tracing|dev|build) = \[\n(.*?)^\]", text)
    lines = [line for block in blocks for line in block.splitlines() if line.strip().startswith('"')]
    assert len(lines) > 25
    assert [line for line in lines if not re.search(r",\s+# \w", line)] == []


def test_requirements_carry_hashes_and_no_address():
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
