"""`portal tracker …` as run by an operator."""

from functools import partial
from pathlib import Path

import pytest

from tests.parts.command import portal as command


@pytest.fixture
def portal(tmp_path: Path):
    environment = {"TRACKER_DATABASE_URL": f"sqlite:///{tmp_path / 'deep' / 'tracker.db'}"}
    return partial(command, "tracker", environment=environment)


def test_commands_set_up_and_load_a_tenant(portal, tmp_path: Path):
    assert portal("tenant", "add", "acme", "Acme Robotics").returncode == 0
    company = portal("company", "add", "acme", "Client")
    assert company.returncode == 0
    assert len(company.stdout.split()) == 1
    key = portal("key", "create", "acme").stdout.strip()
    known_as = key.split("_")[1]
    listed = portal("key", "list", "acme").stdout
    assert known_as in listed
    assert key not in listed
    assert portal("key", "revoke", "acme", known_as).returncode == 0
    assert "revoked" in portal("key", "list", "acme").stdout
    (tmp_path / "file").write_text('{"kind": "vacancy", "record": {"id": "v1"}}\n')
    loaded = portal("load", "acme", str(tmp_path / "file"))
    assert (loaded.returncode, loaded.stderr) == (0, "Loaded 1 records.\n")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("key", "create", "nobody"), 1),
        (("key", "list", "nobody"), 1),
        (("company", "add", "nobody", "X"), 1),
        (("tenant", "add", "Not A Slug", "X"), 1),
        (("tenant", "add", "vacancies", "X"), 1),
        (("load", "nobody", "/no/such/file"), 2),
        (("key", "create"), 2),
        (("serve", "--port", "0"), 2),
    ],
)
def test_errors_are_printed_in_one_line(portal, words: tuple[str, ...], status: int):
    failed = portal(*words)
    assert failed.returncode == status
    assert "Traceback" not in failed.stderr
    if status == 1:
        assert len(failed.stderr.strip().splitlines()) == 1


def test_a_tenant_cannot_be_added_twice(portal):
    portal("tenant", "add", "acme", "Acme")
    assert portal("tenant", "add", "acme", "Acme").returncode == 1
