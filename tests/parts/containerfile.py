"""Carries out what a Containerfile says, without containers: its steps in a folder that stands for the root.

Honest for COPY and RUN of programs that take their paths as arguments. What needs a distribution (apt-get) is not done.
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
    """One instruction; words: after its name, lines joined."""

    name: str
    words: str


@dataclass
class Stage:
    """root: what stands for `/`."""

    root: Path
    folder: Path
    said: dict[str, str] = field(default_factory=dict)


def stages(text: str) -> dict[str, list[Step]]:
    """Steps by the stage's name; the last one's is empty."""
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
    """Do COPY and RUN of a stage. changes: in commands, beside /opt and the like, which become folders of `root`."""
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
    """As COPY does: the content of a folder, and a file into a folder that ends with a slash or is one."""
    if source.is_dir():
        ignored = shutil.ignore_patterns("__pycache__", "*.mo")
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=ignored)
    else:
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
