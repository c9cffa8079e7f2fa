"""Generate portal/jobs/search/occupations.tsv.gz, which occupations.py there describes, from ESCO's labels.

The European Commission's ESCO classification, as one table: a line for each occupation, or group of ISCO, and language
(key, language, preferred label, alternative labels). tools/common_jobs.toml adds groups for the most common jobs.

    .venv/bin/python tools/occupations.py esco-labels.tsv.gz

The same input results in the same file. Run it again after a change of label_key or common_jobs.toml.
"""

import gzip
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from portal.jobs.search.occupations import FILE, GROUP, LANGUAGES, OCCUPATION, label_key, words_of_label

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "portal" / "jobs" / "search" / FILE
COMMON = Path(__file__).with_name("common_jobs.toml")
_SHORTEST = 4
"""Minimum letters of a label: shorter ones are abbreviations with many other meanings."""
_MEANINGS_MOST = 8
"""Maximum occupations of one label: a label of more is too vague."""
_VAGUE = """
abteilungsleiter administrator adviser advisor agent analyst arbeiter assistant assistent assistente asistente
associate auxiliar berater bediener capo chef chief clerk controller coordinator coordinatore coordinador
coordinateur consulente consultant conseiller consultor data delegate designer developer directeur direction
director direktor driver encargado engineer executive expert fachkraft finance finanzen foreman fuhrer gerente
grader handler head helper host hostess ingegnere ingeniero ingenieur inspecteur inspector inspektor instructor
intern inzynier it jefe kierownik lead leader leider leiter lider machinist manager medewerker meister member
mitarbeiter monteur officer operador operateur operator operatore opiekun owner partner planner pracownik
praktikant product production project projektant projektleiter projectmanager referent representative researcher
responsabile responsable robot sachbearbeiter sales security seller service specialist specjalista spezialist stage
student supervisor support team teacher technician technicien technicus techniker technik technologist tecnico
tester trainee trainer vertreter werker worker
"""
"""Single words that are too vague to name an occupation, unless they are the name of a common job."""


@dataclass
class Entry:
    """An occupation or group: its token, its names by language, all of its labels, and the groups it belongs to."""

    token: str
    names: dict[str, str] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)


def main(source: Path) -> int:
    """Write the file and print what it contains."""
    entries = {key: entry for key, entry in _read(source).items() if len(entry.token) > len(GROUP)}
    occupations = [entry for entry in entries.values() if entry.token.startswith(OCCUPATION)]
    _join_isco(entries, occupations)
    common = list(_common(occupations))
    _join_common(common, occupations)
    ranked = sorted([*entries.values(), *common], key=lambda entry: entry.token)
    keys = _keys(ranked, common)
    rows = ["\t".join([e.token, " ".join(sorted(e.groups)), *(e.names.get(x, "") for x in LANGUAGES)]) for e in ranked]
    lines = [f"{key}\t{' '.join(map(str, keys[key]))}" for key in sorted(keys)]
    TARGET.write_bytes(gzip.compress(("\n".join([*rows, "", *lines]) + "\n").encode(), 9, mtime=0))
    size = TARGET.stat().st_size
    print(f"{len(occupations)} occupations, {len(common)} common jobs, {len(keys)} labels: {size:,} bytes")
    return 0


def _read(source: Path) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            key, language, preferred, *others = line.rstrip("\n").split("\t")
            kind, _, code = key.partition("/")
            entry = found.setdefault(key, Entry(OCCUPATION + code[:8] if kind == "occupation" else _group(code)))
            entry.names[language] = preferred
            entry.labels |= {preferred, *others}
    return found


def _group(code: str) -> str:
    """Return the token of a group of ISCO of the last two levels; others are as wide as a branch of industry."""
    return f"{GROUP}{code[1:]}" if len(code) >= len("C000") else ""


def _join_isco(entries: dict[str, Entry], occupations: Iterable[Entry]) -> None:
    """Put occupations into the groups that a part of the group's English name means: "baker" into "Bakers, …"."""
    ends: dict[str, set[str]] = defaultdict(set)
    for key, entry in entries.items():
        if key.startswith("isco/") and len(key) == len("isco/C0000"):
            for part in re.split(r", | and ", entry.names["en"]):
                ends[label_key(words_of_label(part))].add(entry.token)
    sole = {end: next(iter(groups)) for end, groups in ends.items() if len(groups) == 1}
    for occupation in occupations:
        words = words_of_label(occupation.names.get("en", "").partition("/")[0])
        for start in range(len(words)):
            if group := sole.get(label_key(words[start:])):
                occupation.groups.add(group)
                break


def _common(occupations: list[Entry]) -> Iterator[Entry]:
    """Yield the groups of common jobs, and put occupations into them by the patterns of their English names."""
    for name, job in tomllib.loads(COMMON.read_text("utf-8")).items():
        by_language = {
            language: [each.strip() for each in job.get(language, "").split(",") if each.strip()]
            for language in LANGUAGES
        }
        group = Entry(GROUP + "".join(re.findall("[a-z0-9]+", name)))
        wanted = [each.strip() for each in job["of"].split(";")]
        members = [e for e in occupations if _is_one(e.names.get("en", ""), wanted)]
        unknown = [
            p
            for p in wanted
            if not p.startswith("!") and not any(fnmatchcase(e.names.get("en", ""), p) for e in occupations)
        ]
        if unknown:
            raise ValueError(f"{name}: no occupation is called {unknown}")
        main = next(e for e in members if fnmatchcase(e.names.get("en", ""), wanted[0]))
        group.names = {x: by_language[x][0] if by_language[x] else main.names.get(x, "") for x in LANGUAGES}
        group.names["en"] = by_language["en"][0] if by_language["en"] else name
        group.labels = {name, *(label for labels in by_language.values() for label in labels)}
        for member in members:
            member.groups.add(group.token)
        yield group


def _is_one(name: str, wanted: list[str]) -> bool:
    if any(fnmatchcase(name, each[1:]) for each in wanted if each.startswith("!")):
        return False
    return any(fnmatchcase(name, each) for each in wanted)


def _join_common(common: list[Entry], occupations: list[Entry]) -> None:
    """Put each common job into those that have all of its occupations: a warehouse manager works in a warehouse."""
    members = {group.token: {e.token for e in occupations if group.token in e.groups} for group in common}
    for group in common:
        mine = members[group.token]
        group.groups = {other for other, its in members.items() if other != group.token and mine < its}


def _keys(ranked: list[Entry], common: list[Entry]) -> dict[str, list[int]]:
    """Return each label → positions. The name of a common job means that job and its occupations of that name."""
    found: dict[str, set[int]] = defaultdict(set)
    jobs: dict[str, set[str]] = defaultdict(set)
    for group in common:
        for label in group.labels:
            jobs[label_key(words_of_label(label))].add(group.token)
    vague = {label_key([word]) for word in _VAGUE.split()}
    for position, entry in enumerate(ranked):
        for key in {label_key(words_of_label(label)) for label in entry.labels} - {""}:
            if key in jobs:
                is_meant = entry.token in jobs[key] or (entry.groups & jobs[key] and key not in vague)
            else:
                is_meant = len(key) >= _SHORTEST and key not in vague
            if is_meant:
                found[key].add(position)
    return {key: sorted(where) for key, where in found.items() if len(where) <= _MEANINGS_MOST or key in jobs}


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
