"""Changed tenant files are applied; an invalid one affects no other tenant."""

from pathlib import Path

from portal.tenants.folder import Tenants
from tests.told_clock import ToldClock

FILE = """name = "{name}"
[tracker]
base_url = "https://tracker.example"
api_key = "env:KEY"
[site]
hosts = ["careers.{name}.example"]
"""


def tenants(folder: Path, clock: ToldClock) -> Tenants:
    return Tenants(folder, read_secret=lambda _reference: "k", clock=clock)


def test_other_tenants_work_beside_an_invalid_file(tmp_path: Path):
    (tmp_path / "acme.toml").write_text(FILE.format(name="acme"))
    (tmp_path / "globex.toml").write_text("name = ")
    known = tenants(tmp_path, ToldClock())
    assert known.get("acme")
    assert known.get("globex") is None
    assert "not TOML" in known.problems()["globex"]


def test_a_change_is_applied_without_a_restart(tmp_path: Path):
    clock = ToldClock()
    known = tenants(tmp_path, clock)
    assert known.all() == []
    (tmp_path / "acme.toml").write_text(FILE.format(name="acme"))
    clock.pass_time(1)
    assert known.get("acme")
    (tmp_path / "acme.toml").write_text(FILE.format(name="acme").replace('"acme"', '"Acme Inc"'))
    clock.pass_time(1)
    assert known.get("acme").name == "Acme Inc"
    (tmp_path / "acme.toml").unlink()
    clock.pass_time(1)
    assert known.get("acme") is None


def test_a_file_that_becomes_invalid_keeps_its_last_valid_version_and_is_reported(tmp_path: Path):
    clock = ToldClock()
    known = tenants(tmp_path, clock)
    (tmp_path / "acme.toml").write_text(FILE.format(name="acme"))
    assert known.get("acme")
    (tmp_path / "acme.toml").write_text("name = 7")
    clock.pass_time(1)
    assert known.get("acme").name == "acme"
    assert "acme" in known.problems()


def test_a_file_name_that_is_not_a_slug_is_reported(tmp_path: Path):
    (tmp_path / "Acme Inc.toml").write_text(FILE.format(name="acme"))
    known = tenants(tmp_path, ToldClock())
    assert known.all() == []
    assert "not a slug" in known.problems()["Acme Inc"]


def test_a_host_belongs_to_the_first_tenant_that_names_it(tmp_path: Path):
    (tmp_path / "acme.toml").write_text(FILE.format(name="acme"))
    (tmp_path / "zeta.toml").write_text(FILE.format(name="acme"))
    known = tenants(tmp_path, ToldClock())
    assert known.by_host("CAREERS.acme.example").slug == "acme"
    assert known.by_host("elsewhere.example") is None
