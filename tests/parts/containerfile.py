"""Executes the steps of a Containerfile without containers, in a folder that represents the root.

It supports COPY, and RUN of programs that take their paths as arguments. Steps that need a distribution (apt-get) are
skipped.
"""

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Step:
    """One instruction. words: its arguments, with continued lines joined."""

    name: str
    words: str


@dataclass
class Stage:
    """root: the folder that represents `/`."""

    root: Path
    folder: Path
    said: dict[str, str] = field(default_factory=dict)


def stages(text: str) -> dict[str, list[Step]]:
    """Return the steps by stage; the last stage has an empty name."""
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"(?m)^#.*\n", "", text))
    found: dict[str, list[Step]] = {}
    now: list[Step] = []
    for line in filter(None, map(str.strip, joined.splitlines())):
        name, _, words = line.partition(" ")
        if name == "FROM":
            now = found.setdefault(words.partition(" AS ")[2], [])
        elif name != "ARG":
            now.append(Step(name, words.strip()))
    return found


def built(steps: list[Step], context: Path, root: Path, changes: Mapping[str, str]) -> None:
    """Execute COPY and RUN of a stage. changes: replacements in commands; /opt and the like are moved below `root`."""
    folder = root
    for step in steps:
        if step.name == "WORKDIR":
            folder = root / step.words.lstrip("/")
            folder.mkdir(parents=True)
        elif step.name == "COPY":
            *sources, target = step.words.split()
            for source in sources:
                _copy(context / source, folder / target)
        elif step.name == "RUN":
            command = step.words.replace("/opt/", f"{root}/opt/")
            for old, new in changes.items():
                command = command.replace(old, new)
            done = subprocess.run(
                ["/bin/sh", "-euc", command], cwd=folder, capture_output=True, text=True, timeout=500, check=False
            )
            assert done.returncode == 0, f"RUN {step.words}\n{done.stdout}{done.stderr}"
        else:
            raise AssertionError(f"not done here: {step.name} {shlex.quote(step.words)}")


def _copy(source: Path, target: Path) -> None:
    """Copy as COPY does: a folder's content, and a file into a target that is a folder or ends with a slash."""
    if source.is_dir():
        ignored = shutil.ignore_patterns("__pycache__", "*.mo")
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=ignored)
    else:
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
