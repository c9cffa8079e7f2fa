"""`portal check`: a line for each part, and exit 1 with the names of those that failed."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from click.testing import CliRunner

from portal.background.sync.tables import passes
from portal.cli import portal
from tests.delivery.scene import Scene
from tests.delivery.service import Service
from tests.parts.clamd import running_clamd
from tests.parts.smtp import SmtpServer, running_smtp

Check = Callable[..., tuple[int, dict[str, tuple[bool, str]]]]


@pytest.fixture
def usual(scene: Scene) -> dict[str, str]:
    settings = scene.parts.settings
    return {
        "PORTAL_SECRET_KEY": settings.secret_key,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
    }


@pytest.fixture
def check(usual: dict[str, str]) -> Check:
    def run(*slugs: str, **environment: str) -> tuple[int, dict[str, tuple[bool, str]]]:
        done = CliRunner().invoke(portal, ["check", *slugs, "--json"], env=usual | environment)
        lines: list[dict[str, Any]] = json.loads(done.stdout)
        return done.exit_code, {line["what"]: (line["ok"], line["says"]) for line in lines}

    return run


def failed(lines: dict[str, tuple[bool, str]]) -> set[str]:
    return {what for what, (ok, _) in lines.items() if not ok}


def test_each_part_has_a_line(scene: Scene, check: Check):
    scene.work.index_what_is_due()
    status, lines = check("acme")
    parts = {
        "settings",
        "database schema",
        "tenant acme",
        "service acme",
        "attachments",
        "inspection",
        "mail",
        "scanner",
        "workers",
        "disks",
        "services",
    }
    assert parts <= lines.keys()
    assert "start `portal worker`" in lines["workers"][1]  # not a failure, because it runs after the first check
    assert (status, failed(lines)) == (0, set())


def test_an_unavailable_service_is_reported_for_its_own_tenant(scene: Scene, check: Check):
    scene.acme.down()
    status, lines = check()
    assert status == 1
    assert "service acme" in failed(lines)
    assert "service globex" not in failed(lines)


def test_a_service_that_was_down_at_the_start_is_only_warned_of(scene: Scene, check: Check):
    scene.acme.down()
    scene.clock.pass_time(61)
    scene.work.mirror_what_is_due()
    scene.work.index_what_is_due()
    assert {"service acme", "mirror acme", "index acme"} <= failed(check("acme")[1])
    scene.acme.up()
    _, lines = check("acme")
    assert failed(lines).isdisjoint({"service acme", "mirror acme", "index acme"})
    for what in ("mirror acme", "index acme"):
        assert "the service responds now: a worker tries again" in lines[what][1]
    with scene.parts.database.write() as connection:
        connection.execute(passes.update().values(failing_since=datetime.now(UTC) - timedelta(minutes=16)))
    assert {"mirror acme", "index acme"} <= failed(check("acme")[1])


def test_an_invalid_tenant_file_is_named(scene: Scene, check: Check):
    (scene.folder / "tenants" / "broken.toml").write_text("name = 3\n")
    status, lines = check()
    assert status == 1
    assert "tenant broken" in failed(lines)
    assert "name" in lines["tenant broken"][1]


@pytest.mark.parametrize(
    ("variable", "value", "part"),
    [
        ("PORTAL_SECRET_KEY", "short", "settings"),
        ("PORTAL_DATABASE_URL", "sqlite:////dev/null/portal.db", "settings"),
        ("PORTAL_DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/none", "database schema"),
        ("PORTAL_ATTACHMENTS", "file:/dev/null/attachments", "attachments"),
        ("PORTAL_MAIL", "smtp://127.0.0.1:1", "mail"),
        ("PORTAL_SCANNER", "clamd:127.0.0.1:1", "scanner"),
    ],
)
def test_unusable_settings_are_named(check: Check, variable: str, value: str, part: str):
    status, lines = check("acme", **{variable: value})
    assert status == 1
    assert part in failed(lines)


def test_a_missing_operator_address_is_reported(scene: Scene, check: Check):
    file = scene.folder / "tenants" / "acme.toml"
    file.write_text(file.read_text().replace('operator = "jobs@acme.example"\n', ""))
    assert "nobody is emailed about" in check("acme")[1]["tenant acme"][1]
    assert "nobody" not in check("globex")[1]["tenant globex"][1]


def test_unencrypted_mail_is_reported_without_failing_the_check(check: Check, smtp: SmtpServer):
    with running_smtp(host="127.0.0.2") as elsewhere:
        _, lines = check("globex", PORTAL_MAIL=elsewhere.address)
    assert lines["mail"][0]
    assert "unencrypted" in lines["mail"][1]
    assert "smtps://" in lines["mail"][1]
    assert check("globex", PORTAL_MAIL=smtp.address)[1]["mail"] == (True, "reachable")


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_scanner_must_detect_the_standard_test_file(check: Check) -> None:
    with running_clamd() as good:
        assert check("globex", PORTAL_SCANNER=good.address)[1]["scanner"] == (
            True,
            "reachable, detects the EICAR test file",
        )
    with running_clamd(signature=b"something that is nowhere") as blind:
        status, lines = check("globex", PORTAL_SCANNER=blind.address)
    assert (status, "scanner" in failed(lines)) == (1, True)
    assert "run freshclam, restart clamd" in lines["scanner"][1]


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_files_are_inspected_in_a_sandbox(check: Check) -> None:
    assert check("globex")[1]["inspection"] == (True, "files are inspected in separate processes")


def test_no_line_contains_a_key(scene: Scene, check: Check):
    service: Service = scene.acme
    service.down()
    _, lines = check()
    assert "a-key-of-the-service" not in json.dumps(lines)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("environment", "says", "warns"),
    [
        ({}, "taken from the connection", False),
        ({"PORTAL_BASE_URL": "https://careers.example"}, "all visitors seem to come from its address", True),
        (
            {"PORTAL_BASE_URL": "https://careers.example", "PORTAL_TRUSTED_PROXIES": "1"},
            "from X-Forwarded-For, trusted proxies: 1",
            False,
        ),
        ({"PORTAL_BASE_URL": "http://careers.example"}, "PORTAL_BASE_URL is http, so whoever is on the way can", True),
    ],
)
def test_the_apparent_origin_of_visitors_is_reported(
    usual: dict[str, str], environment: dict[str, str], says: str, warns: bool
):
    output = CliRunner().invoke(portal, ["check", "acme", "--json"], env=usual | environment).stdout
    line = next(line for line in json.loads(output) if line["what"] == "visitors' addresses")
    assert (line["ok"], line["warns"]) == (True, warns)
    assert says in line["says"]


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_logo_that_could_not_be_fetched_is_reported_without_failing_the_check(scene: Scene, check: Check):
    file = scene.folder / "tenants" / "acme.toml"
    scene.work.index_what_is_due()
    file.write_text(file.read_text() + '\n[site]\nlogo = "https://www.acme.invalid/logo.svg"\n')
    status, lines = check("acme")
    assert lines["logo acme"] == (True, "not fetched yet: a worker does it within seconds")
    assert status == 0
    scene.clock.pass_time(1)
    scene.work.fetch_pictures()
    assert "www.acme.invalid cannot be reached" in check("acme")[1]["logo acme"][1]


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_host_of_two_tenants_fails_and_both_are_named(scene: Scene, check: Check):
    for slug in ("acme", "globex"):
        file = scene.folder / "tenants" / f"{slug}.toml"
        file.write_text(file.read_text() + '\n[site]\nhosts = ["careers.acme.invalid"]\n')
    status, lines = check()
    assert status == 1
    assert "tenant globex" in failed(lines)
    assert "line 15: site.hosts: careers.acme.invalid is named by acme.toml too" in lines["tenant globex"][1]
    assert "does not resolve" in lines["host careers.acme.invalid"][1]


def test_every_problem_links_to_its_runbook(scene: Scene, usual: dict[str, str]):
    scene.acme.down()
    environment = usual | {"PORTAL_MAIL": "smtp://127.0.0.1:9"}
    told = CliRunner().invoke(portal, ["check"], env=environment).output
    assert "; see docs/operating/troubleshoot.md#portalmailaway\n" in told
    elsewhere = environment | {"PORTAL_RUNBOOKS": "https://wiki.example/portal/"}
    lines = json.loads(CliRunner().invoke(portal, ["check", "--json"], env=elsewhere).stdout)
    addresses = {line["what"]: line["runbook"] for line in lines}
    assert addresses["service acme"] == "https://wiki.example/portal/troubleshoot#portalservicefails"
    assert [line["what"] for line in lines if bool(line["runbook"]) == (line["ok"] and not line["warns"])] == []
