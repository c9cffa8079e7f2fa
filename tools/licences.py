"""Reject dependencies whose licence does not allow this product, under MIT, to redistribute them. Run by `make check`.

    .venv/bin/python tools/licences.py [requirements/run.txt]

It reads the metadata of each installed package: its SPDX expression, else its classifiers, else its licence field.
Development tools are not redistributed, so their licences are not checked.
"""

import re
import sys
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path

RUN = Path(__file__).resolve().parent.parent / "requirements" / "run.txt"
PERMISSIVE = {
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "MIT-CMU", "PSF-2.0", "Unlicense",
    # Names of licences in classifiers and older metadata.
    "Apache Software License", "BSD License", "ISC License (ISCL)", "MIT License", "Python Software Foundation License",
    "3-Clause BSD License", "The Unlicense (Unlicense)",
}  # fmt: skip
EXCEPTIONS = {
    "certifi": ("Mozilla Public License 2.0 (MPL 2.0)", "a list of certificates; only its own files must stay open"),
    "resvg-py": ("", "MIT by the LICENSE file in the wheel; its metadata names none"),
    "psycopg": ("LGPL-3.0-only", "an unmodified library, imported at run time, that whoever runs us may exchange"),
    "psycopg-binary": ("LGPL-3.0-only", "psycopg's compiled half: the same holds"),
}
ELSEWHERE = {
    "async-timeout": "Apache-2.0 on PyPI; installed for Python before 3.11.3 alone",
    "tzdata": "Apache-2.0 on PyPI; installed on Windows alone",
}


def main(requirements: Path) -> int:
    """Print a line for each rejected package; return 1 if there is one."""
    pinned = dict(re.findall(r"(?m)^([A-Za-z0-9_.-]+)==[^\s;]+(?: ; ([^\\\n]+))?", requirements.read_text("utf-8")))
    refused = [line for name, marker in pinned.items() if (line := objection(name, marker))]
    refused += [
        f"{name}: no dependency any more; take its exception away" for name in EXCEPTIONS.keys() - pinned.keys()
    ]
    for line in refused:
        print(line)
    return 1 if refused else 0


def objection(name: str, marker: str) -> str | None:
    """Return why the package is rejected. marker: condition for its installation; empty: always installed."""
    try:
        licences = stated(metadata(name))
    except PackageNotFoundError:
        if marker and name in ELSEWHERE:
            return None
        return f"{name}: not installed here, so its licence is unknown; make .venv/.dev, or name it in ELSEWHERE"
    if any(set(all_of) <= PERMISSIVE for all_of in licences):
        return None
    found = " or ".join(" and ".join(all_of) for all_of in licences)
    if name in EXCEPTIONS and EXCEPTIONS[name][0] == found:
        return None
    return f"{name}: {found or 'no licence'} is not permissive; take another package, or give the reason in EXCEPTIONS"


def stated(package: PackageMetadata) -> list[list[str]]:
    """Return the alternative licences; each may consist of several that apply together."""
    if expression := package.get("License-Expression"):
        return [choice.split(" AND ") for choice in expression.split(" OR ")]
    classifiers = [c.split(" :: ") for c in package.get_all("Classifier", [])]
    named = [parts[-1] for parts in classifiers if parts[0] == "License" and parts[-1] != "OSI Approved"]
    return [named or [package.get("License") or ""]]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else RUN))
