"""`portal tracker load`: both layouts, bounded memory, progress, and a second start."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from portal.platform.errors import SettingsError
from portal.tracker import loading, records
from tests.parts.command import portal
from tests.tracker.office import Json, Office

VACANCIES = [{"id": f"v{n}", "name": {"name": f"Job {n} é"}} for n in range(1_200)]


def lines(found: list[Json]) -> list[str]:
    return [json.dumps({"kind": "vacancy", "record": record}) + "\n" for record in found]


def test_a_load_resumes_after_the_last_batch(office: Office):
    told: list[int] = []

    class CutOffError(Exception):
        pass

    def failing():
        yield from lines(VACANCIES)[:1_100]
        raise CutOffError

    with pytest.raises(CutOffError):
        loading.load(office.database, office.clock, "acme", failing(), progress=told.append, fingerprint="f")
    assert told == [500, 1_000]
    read = lines(VACANCIES)
    read[:1_000] = [json.dumps({"kind": "vacancy", "record": {"id": "never stored twice"}})] * 1_000
    count = loading.load(office.database, office.clock, "acme", read, progress=told.append, fingerprint="f")
    assert count == 1_200
    assert told == [500, 1_000, 1_200]
    assert len(list(office.walk("/vacancies", limit=50))) == 1_200


def test_a_finished_load_can_be_repeated(office: Office):
    for name in ("One", "Two"):
        loading.load(
            office.database, office.clock, "acme", lines([{"id": "v1", "name": {"name": name}}]), fingerprint="f"
        )
    assert next(office.walk("/vacancies"))["name"]["name"] == "Two"


@pytest.mark.parametrize("indent", [None, 2])
def test_one_document_with_six_arrays_is_loaded(office: Office, indent: int | None):
    document = {
        "applications": [{"id": "a1", "vacancy": {"id": "v1"}, "candidate": {"id": "c1"}, "stage": {"id": "s1"}}],
        "companies": [{"id": "k1", "name": "Client"}],
        "users": [{"userId": "u1", "name": "Ito"}],
        "stages": [{"id": "s1", "order": 1, "name": "Only"}],
        "vacancies": VACANCIES[:700],
        "candidates": [{"id": "c1", "emails": {"emails": [{"email": "a@b.example"}]}}],
    }
    text = io.StringIO(json.dumps(document, indent=indent, ensure_ascii=False))
    count = loading.load(office.database, office.clock, "acme", records.in_file(text))
    assert count == 705
    assert office.recruiter.get("/applications/a1").status_code == 200
    assert office.applications("v1")[0]["stage"]["id"] == "s1"


@pytest.mark.parametrize(("text", "count"), [("{}", 0), (" {\n}\n", 0), ('{"users": []}', 0), ("", 0), ("\n\n", 0)])
def test_an_empty_file_loads_nothing(sqlite_office: Office, text: str, count: int):
    found = records.in_file(io.StringIO(text))
    assert loading.load(sqlite_office.database, sqlite_office.clock, "acme", found) == count


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"kind": "vacancy", "record": {"id": "v1"}}\n{"kind": "vacancy", "record": {}}', "line 2.*id"),
        ('{"kind": "planet", "record": {}}', "line 1: unknown kind"),
        ('{"kind": "vacancy"}', "line 1"),
        ('{"kind": "vacancy", "record": {"id": "v1", "name": "bare"}}', "line 1: vacancy /name"),
        ('{"kind": "vacancy", "record": {"id": "v1", "startAt": {"startAt": 5}}}', "/startAt/startAt"),
        ('{"kind": "vacancy", "record": {"id": "v1", "description": {"description": "\\u0000"}}}', "NUL"),
        ('{"kind": "vacancy", "record": {"id": "v1", "description": {"description": "\\ud800"}}}', "surrogate"),
        ("no JSON at all", "line 1: not JSON"),
        ('{"vacancies": [{"id": "v1"}, 5]}', "vacancies/1"),
        ('{"vacancies": [{"id": "v1"}', "cut off"),
        ('{"vacancies": [{"id": 7}]}', "vacancies/0"),
        ('{"vacancies": [], "planets": []}', "members"),
    ],
)
def test_errors_in_the_file_are_named(sqlite_office: Office, text: str, says: str):
    with pytest.raises(SettingsError, match=says):
        loading.load(sqlite_office.database, sqlite_office.clock, "acme", records.in_file(io.StringIO(text)))


def test_an_unknown_tenant_is_named(sqlite_office: Office):
    with pytest.raises(SettingsError, match="no tenant 'nobody'"):
        loading.load(sqlite_office.database, sqlite_office.clock, "nobody", [])


@pytest.mark.parametrize("layout", ["lines", "document"])
def test_memory_is_bounded_and_progress_is_printed(tmp_path: Path, layout: str):
    """10,500 vacancies of 8 kB each: a file of 84 MB."""
    path = tmp_path / "many"
    padding = {"description": "x" * 8_000}
    with path.open("w") as file:
        file.write('{"vacancies": [' if layout == "document" else "")
        for number in range(10_500):
            record = {"id": f"v{number}", "description": padding}
            if layout == "document":
                file.write((", " if number else "") + json.dumps(record))
            else:
                file.write(json.dumps({"kind": "vacancy", "record": record}) + "\n")
        file.write("]}" if layout == "document" else "")
    told = {"TRACKER_DATABASE_URL": f"sqlite:///{tmp_path / 'tracker.db'}"}
    assert portal("tracker", "tenant", "add", "acme", "Acme", environment=told).returncode == 0
    with subprocess.Popen(
        [sys.executable, "-m", "portal.cli", "tracker", "load", "acme", str(path)],
        env={**os.environ, **told},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        peak = 0
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                peak = max(peak, watched.memory_info().rss)
                process.wait(0.05)
            except (psutil.NoSuchProcess, subprocess.TimeoutExpired):
                continue
        said = process.stderr.read() if process.stderr else ""
    assert process.returncode == 0, said
    assert "10000 records" in said
    assert "Loaded 10500 records." in said
    assert 0 < peak < 200_000_000
