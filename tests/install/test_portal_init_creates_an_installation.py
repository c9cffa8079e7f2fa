"""`portal init` asks a few questions, writes settings, tenant file and units, and runs `portal check`."""

import os
import re
import shlex
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from portal.cli import installation_files, portal
from portal.platform.config.settings import Settings, TrackerSettings
from portal.tenants.toml import parse
from tests.parts.process import free_port

pytestmark = pytest.mark.xdist_group("init")  # one process creates the installations that its tests share
FLAGS = ("--yes", "--tenant", "acme", "--name", "Acme Robotics", "--service", "http://127.0.0.1:9")


def init(home: Path, *flags: str, answers: str | None = None) -> Result:
    return CliRunner().invoke(portal, ["init", str(home), *flags], input=answers)


def settings_of(home: Path) -> dict[str, str]:
    """Return the variables of a shell that loads the file as the operators' manual says."""
    done = subprocess.run(
        ["bash", "-c", f"set -a; . {shlex.quote(str(home / 'settings.env'))}; env -0"],
        env={"PATH": os.environ["PATH"]},
        check=True,
        capture_output=True,
        text=True,
    )
    return dict(one.split("=", 1) for one in done.stdout.split("\0") if one.startswith(("PORTAL_", "AWS_", "TRACKER_")))


@dataclass(frozen=True, slots=True)
class InitResult:
    """A folder of `portal init`, and the command's output."""

    home: Path
    done: Result


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> InitResult:
    """A folder made with FLAGS, which no test changes."""
    home = tmp_path_factory.mktemp("init") / "var" / "portal"
    with umask(0):
        return InitResult(home, init(home, *FLAGS))


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The settings of a folder for a service on another machine."""
    home = tmp_path_factory.mktemp("elsewhere") / "home"
    init(home, "--yes", "--tenant", "acme", "--service", "https://service.example")
    return settings_of(home)


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


def test_flags_alone_create_a_folder_that_lacks_only_its_servers(plain: InitResult):
    home, done = plain.home, plain.done
    found = Settings.from_env(settings_of(home))
    assert len(found.secret_key) == 64
    assert found.secret_key not in done.output
    assert found.database_url == f"sqlite:///{home}/portal.db"
    tenant = parse("acme", (home / "tenants" / "acme.toml").read_text(), read_secret=lambda _: "k")
    assert (tenant.name, tenant.tracker.base_url) == ("Acme Robotics", "http://127.0.0.1:9")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in home.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (home, home / "keys", home.parent)} == {0o700}
    assert "ok      tenant acme" in done.output
    assert "FAILED  service acme" in done.output, "the portal does not run yet"
    assert "ok      database schema" in done.output, "an empty database is migrated"
    assert "Next steps:\n  1. install the services" in done.output
    assert "Some checks failed" in done.output
    assert done.exit_code == 0, "everything was written"


def test_the_service_has_a_database_beside_the_portals(plain: InitResult, elsewhere: dict[str, str], tmp_path: Path):
    assert settings_of(plain.home)["TRACKER_DATABASE_URL"] == "sqlite:///tracker.db"
    init(tmp_path / "b", *FLAGS, "--database", "postgresql+psycopg://portal:secret@127.0.0.1:9/portal?sslmode=disable")
    found = settings_of(tmp_path / "b")
    assert found["TRACKER_DATABASE_URL"] == "postgresql+psycopg://portal:secret@127.0.0.1:9/tracker?sslmode=disable"
    assert "TRACKER_DATABASE_URL" not in elsewhere


def test_a_job_of_the_local_service_is_public_within_seconds(plain: InitResult, elsewhere: dict[str, str]):
    assert Settings.from_env(settings_of(plain.home)).sync_interval == 3
    assert Settings.from_env(elsewhere).sync_interval == 60


def test_the_hiring_pages_of_the_local_service_lack_only_a_colleague(plain: InitResult, elsewhere: dict[str, str]):
    found = TrackerSettings.from_env(settings_of(plain.home))
    assert found.secret_key
    assert len(found.secret_key) == 64
    assert found.secret_key not in plain.done.output
    assert found.secret_key != Settings.from_env(settings_of(plain.home)).secret_key
    assert found.mail == Settings.from_env(settings_of(plain.home)).mail
    assert "portal tracker colleague add acme YOUR-EMAIL --role owner" in plain.done.output
    assert not {"TRACKER_SECRET_KEY", "TRACKER_MAIL"} & elsewhere.keys()


def test_metrics_require_the_token(plain: InitResult, elsewhere: dict[str, str]):
    tokens = {found["PORTAL_METRICS_TOKEN"] for found in (settings_of(plain.home), elsewhere)}
    assert {len(one) for one in tokens} == {32}
    assert len(tokens) == 2


def test_units_are_for_this_folder_user_and_installation(plain: InitResult):
    units = plain.home / "units"
    text = "".join(path.read_text() for path in units.rglob("*") if path.is_file())
    assert f"EnvironmentFile={plain.home}/settings.env" in text
    assert f"WorkingDirectory={plain.home}\n" in text
    assert "/opt/portal" not in text
    assert {path.name for path in units.iterdir()} >= {"portal-serve@.service", "portal-worker@.service"}


@pytest.mark.parametrize("below", ["/home/olga", "/root"])
def test_units_can_access_a_folder_below_home(below: str):
    conf = installation_files.units(Path(below) / "careers", {"service": "https://s.example"})[
        "portal-.service.d/50-portal.conf"
    ]
    assert "ProtectHome=read-only\n" in conf
    assert f"ReadWritePaths={below}/careers\n" in conf


def test_next_steps_and_units_have_the_ports_of_the_configured_urls(tmp_path: Path):
    home = tmp_path / "home"
    service = ("--yes", "--tenant", "acme", "--name", "A & B", "--service", "http://127.0.0.1:8501")
    done = init(home, *service, "--base-url", "http://127.0.0.1:8400")
    steps = done.output.partition("Next steps:\n")[2]
    assert "systemctl enable --now portal-tracker portal-serve@8400 portal-worker@1\n" in steps
    assert "in front of 127.0.0.1:8400" in steps
    assert "portal tracker serve --port 8501\n" in (home / "units" / "portal-tracker.service").read_text()


def test_the_local_service_has_the_company_whose_key_is_stored(plain: InitResult):
    home, done = plain.home, plain.done
    assert _companies(home) == ["Acme Robotics"]
    key = home / "keys" / "acme"
    assert (key.read_text()[:4], stat.S_IMODE(key.stat().st_mode)) == ("trk_", 0o600)
    assert "API key" not in done.output.partition("Next steps:\n")[2]
    assert key.read_text().strip() not in done.output


def test_a_key_stored_elsewhere_is_created_by_the_first_step(tmp_path: Path):
    home = tmp_path / "home"
    steps = init(home, *FLAGS, "--key", "env:K").output.partition("Next steps:\n")[2]
    (command,) = re.findall(r"1\. add Acme Robotics to the service and store its API key: (.+), K= in ", steps)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    made = subprocess.run(
        ["sh", "-ec", command], env={"PATH": path}, cwd=tmp_path, check=True, timeout=120, capture_output=True
    )
    assert made.stdout.startswith(b"trk_")
    assert _companies(home) == ["Acme Robotics"]


def _companies(home: Path) -> list[str]:
    with sqlite3.connect(home / "tracker.db") as database:
        return [name for (name,) in database.execute("SELECT name FROM tenants")]


def test_a_question_is_repeated_with_the_expected_format_after_an_invalid_answer(tmp_path: Path):
    home = tmp_path / "home"
    answers = ["careers.example", "https://careers.example", "", "", "", "", "", "", "Acme!", "acme", "", "tracker"]
    answers += ["http://127.0.0.1:9", "", "a-literal-key", "env:ACME_KEY"]
    done = init(home, answers="\n".join(answers) + "\n")
    for reason in (
        "expected an origin such as https://careers.example",
        "expected a-z, 0-9 and -",
        "expected an address that starts with https://",
        "expected env:NAME or file:PATH, not the key itself",
    ):
        assert reason in done.output
    found = Settings.from_env(settings_of(home))
    assert (found.base_url, found.trusted_proxies) == ("https://careers.example", 1)
    assert 'api_key = "env:ACME_KEY"' in (home / "tenants" / "acme.toml").read_text()
    assert 'name = "Acme"' in (home / "tenants" / "acme.toml").read_text()


@pytest.mark.parametrize("answered", range(0, 11, 5))
def test_an_interrupted_init_leaves_nothing_behind(tmp_path: Path, answered: int):
    done = init(tmp_path / "home", answers="\n" * min(answered, 8) + "acme\n" * max(0, answered - 8))
    assert done.exit_code != 0
    assert not (tmp_path / "home").exists()


def test_a_failed_init_is_rolled_back(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "keys").touch()  # no folder can replace it, and everything else has been written by then
    done = init(home, *FLAGS)
    assert done.exit_code == 1
    assert sorted(path.name for path in home.iterdir()) == ["keys"]


@pytest.mark.parametrize("there", ["settings.env", "tenants/other.toml", "units/mine.service"])
def test_existing_files_are_not_overwritten(tmp_path: Path, there: str):
    (tmp_path / there).parent.mkdir(exist_ok=True)
    (tmp_path / there).write_text("mine")
    done = init(tmp_path, *FLAGS)
    assert done.exit_code == 1
    assert "so nothing was changed" in str(done.exception)
    assert (tmp_path / there).read_text() == "mine"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / there]


def test_an_invalid_or_missing_flag_is_named(tmp_path: Path):
    lacks = init(tmp_path / "home", "--yes", "--tenant", "acme")
    assert (lacks.exit_code, "--service is required with --yes" in lacks.output) == (2, True)
    wrong = init(tmp_path / "home", *FLAGS, "--database", "mysql://root:hunter2@db/x")
    assert (wrong.exit_code, "expected sqlite:///PATH or postgresql" in wrong.output) == (2, True)
    assert "hunter2" not in wrong.output
    quoted = init(tmp_path / "home", *FLAGS, "--mail", "smtp://a:it's@mail.example")
    assert (quoted.exit_code, "%27" in quoted.output) == (2, True)
    assert not (tmp_path / "home").exists()


def test_all_errors_are_named_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PORTAL_MAIL", "post:hunter2@mail")
    done = init(tmp_path / "home", "--yes", "--tenant", "A b", "--proxies", "some", "--scanner", "no")
    assert done.exit_code == 2
    for said in (
        "--tenant: expected a-z",
        "--proxies: expected a whole number",
        "--scanner: expected off",
        "--service is",
    ):
        assert said in done.output
    assert "PORTAL_MAIL: expected file:FOLDER" in done.output, "the message names the flag as it was given"
    assert "--name" not in done.output
    assert "hunter2" not in done.output
    assert not (tmp_path / "home").exists()


def test_an_invalid_flag_is_named_before_any_question(tmp_path: Path):
    done = init(tmp_path / "home", "--scanner", "no", answers="\n" * 20)
    assert (done.exit_code, "--scanner: expected off" in done.output) == (2, True)
    assert "Public URL of the portal" not in done.output


def test_an_invalid_database_is_reported_with_a_remedy_and_how_to_continue(tmp_path: Path):
    home = tmp_path / "home"
    url = f"postgresql+psycopg://portal:hunter2@127.0.0.1:{free_port()}/portal"
    done = init(home, *FLAGS, "--database", url)
    lines = (home / "settings.env").read_text().splitlines()
    number = lines.index(f"PORTAL_DATABASE_URL={url}") + 1
    assert "FAILED  database schema          PostgreSQL at 127.0.0.1" in done.output
    comes_next = done.output.partition("Next steps:\n")[2]
    assert comes_next.startswith("  1. the database: ")
    assert f"correct PORTAL_DATABASE_URL in {home}/settings.env, line {number}; then `" in comes_next
    (command,) = re.findall(r"then `(.+?portal db upgrade)`", comes_next)
    assert "hunter2" not in done.output
    again = init(home, *FLAGS)
    assert f"PORTAL_… in {home}/settings.env" in str(again.exception)
    assert f"continue with `{command} && portal check`" in str(again.exception)
    # As an operator who followed the instructions.
    lines[number - 1] = "PORTAL_DATABASE_URL=sqlite:///portal.db"
    (home / "settings.env").write_text("\n".join(lines) + "\n")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(["sh", "-c", command], env={"PATH": path}, cwd=tmp_path, check=True, timeout=120)
    with sqlite3.connect(home / "portal.db") as database:
        assert database.execute("SELECT count(*) FROM deliveries").fetchone() == (0,)


@pytest.mark.parametrize(
    ("base_url", "told"),
    [
        ("http://127.0.0.1:8000", "5. open http://127.0.0.1:8000 on this machine; nobody else can"),
        ("http://localhost:8000", "5. open http://localhost:8000 on this machine"),
        ("https://careers.example", "5. put a proxy with TLS in front of 127.0.0.1:8000 for https://careers.example:"),
        ("http://careers.example", "5. put a proxy in front of 127.0.0.1:8000 for http://careers.example:"),
    ],
)
def test_the_way_to_start_the_portal_depends_on_its_address(tmp_path: Path, base_url: str, told: str):
    """Four addresses, none of which is contacted."""
    home = tmp_path / "home"
    answers = {"tenant": "acme", "name": "Acme", "service": "https://s.example", "key": "env:K", "base_url": base_url}
    answers["database"] = "sqlite:///portal.db"
    installation_files.write(home, answers)
    (_, key, _, _, way_in) = installation_files.next_steps(home, answers, lacks_schema=True, has_key=False)
    assert key == f"put Acme's API key in K= in {home}/settings.env"
    assert f"5. {way_in}".startswith(told)
    assert ("set PORTAL_BASE_URL to their address and PORTAL_TRUSTED_PROXIES=1 in" in way_in) == (
        "nobody else" in told or "localhost" in told
    )


def test_an_unwritable_location_is_named_with_a_remedy(tmp_path: Path):
    (tmp_path / "file").touch()
    done = init(tmp_path / "file" / "home", *FLAGS)
    assert done.exit_code == 1
    assert str(done.exception).startswith(f"{tmp_path}/file")
    assert "cannot be written (Not a directory); nothing was left behind: choose another folder" in str(done.exception)


def test_a_value_reaches_shell_and_systemd_unchanged(tmp_path: Path):
    odd = 'smtp://user:p$(touch x)&;#"!`@mail.example:25'
    init(tmp_path / "home", *FLAGS, "--mail", odd)
    assert settings_of(tmp_path / "home")["PORTAL_MAIL"] == odd
    assert f"PORTAL_MAIL='{odd}'\n" in (tmp_path / "home" / "settings.env").read_text()


def test_a_folder_name_that_systemd_would_misread_is_rejected(tmp_path: Path):
    done = init(tmp_path / "my home", *FLAGS)
    assert "expected a path of letters" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_company_name_may_be_any_single_line():
    assert installation_files.wrong_name('Müller & "Söhne" \\ Co') is None
    assert installation_files.wrong_name("two\nlines") is not None
