"""`portal check` distinguishes failures of real servers, and states a remedy for each."""

import json
import os
import sqlite3
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
import time_machine
from click.testing import CliRunner, Result

from portal.cli import portal as cli
from portal.platform.database.diagnosis import why
from tests.builders import SECRET
from tests.parts.misbehaving import Behaviour, answer, html, misbehaving
from tests.parts.postgres import Postgres
from tests.parts.process import free_port, private_folder, running
from tests.parts.radosgw import RunningRadosgw
from tests.parts.redis import RunningRedis
from tests.parts.smtp import running_smtp

pytestmark = pytest.mark.xdist_group("install-check")

TENANT = """
name = "Acme"
[tracker]
base_url = "http://127.0.0.1:9"
api_key = "env:ACME_KEY"
"""
Said = Callable[..., dict[str, tuple[bool, bool, str]]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "tenants").mkdir()
    (tmp_path / "tenants" / "acme.toml").write_text(TENANT)
    return {
        "PORTAL_HOME": str(tmp_path),
        "PORTAL_TENANTS": "tenants",
        "PORTAL_SECRET_KEY": SECRET,
        "ACME_KEY": "k" * 20,
        "PORTAL_DATABASE_URL": "sqlite:///portal.db",
    }


@pytest.fixture
def said(environment: dict[str, str], tmp_path: Path) -> Said:
    def run(**changed: str) -> dict[str, tuple[bool, bool, str]]:
        done = portal("check", "--json", **{**environment, **changed})
        return {line["what"]: (line["ok"], line["warns"], line["says"]) for line in json.loads(done.stdout)}

    return run


def portal(*words: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, [*words], env=environment)


@pytest.fixture
def let_in_by_password(postgres: Postgres) -> Iterator[str]:
    """Create a role that needs a password, and a database of its own, both called careers."""
    with psycopg.connect(
        f"host=127.0.0.1 port={postgres.port} user=portal dbname=postgres", autocommit=True
    ) as connection:
        (hba,) = connection.execute("SHOW hba_file").fetchone() or ("",)
        before = Path(hba).read_text()
        Path(hba).write_text(
            f"host all careers,weak,none 127.0.0.1/32 scram-sha-256\nhost no_entry all 127.0.0.1/32 reject\n{before}"
        )
        connection.execute("CREATE ROLE careers LOGIN PASSWORD 'right'")
        connection.execute("CREATE ROLE weak LOGIN PASSWORD 'right'")
        connection.execute("CREATE DATABASE careers OWNER careers")
        connection.execute("SELECT pg_reload_conf()")
        yield f"postgresql+psycopg://careers:right@127.0.0.1:{postgres.port}/careers"
        Path(hba).write_text(before)
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("DROP DATABASE careers WITH (FORCE)")
        connection.execute("DROP ROLE careers")
        connection.execute("DROP ROLE weak")


def test_each_rejection_by_postgresql_has_its_own_message(
    said: Said, let_in_by_password: str, environment: dict[str, str], tmp_path: Path
):
    right = let_in_by_password
    port = right.rpartition(":")[2].partition("/")[0]
    cases = {
        right.replace(
            ":right@", ":hunter2@"
        ): "the password in PORTAL_DATABASE_URL is wrong, or there is no role careers",
        right.replace("careers:right@", "none:hunter2@"): "is wrong, or there is no role none",
        right.replace(":right@", "@"): "no password is in PORTAL_DATABASE_URL, nor for this host",
        right.replace("careers:right", "nobody"): "there is no role nobody",
        right.removesuffix("careers")
        + "nothing": "there is no database nothing: create it with `createdb --owner careers",
        right.replace(f":{port}", f":{free_port()}"): "nothing is listening there: start the server",
        right.replace("127.0.0.1", "db.invalid"): "the name db.invalid does not resolve",
        right: "portal db upgrade",
    }
    for url, expected in cases.items():
        ok, _, says = said(PORTAL_DATABASE_URL=url)["database schema"]
        assert not ok
        assert expected in says, says
        assert "hunter2" not in says
    (tmp_path / "pgpass").write_text("*:*:*:careers:hunter2")
    (tmp_path / "pgpass").chmod(0o600)
    without = right.replace(":right@", "@")
    told = said(PORTAL_DATABASE_URL=without, TRACKER_DATABASE_URL=without, PGPASSFILE=str(tmp_path / "pgpass"))
    for line, setting in (("database schema", "PORTAL"), ("service database", "TRACKER")):
        ok, _, says = told[line]
        assert not ok
        assert "the password in PGPASSFILE or PGPASSWORD is wrong" in says
        assert f"{setting}_DATABASE_URL names it" in says
    assert said(TRACKER_DATABASE_URL=right)["service database"] == (True, False, "can be used")
    assert portal("db", "upgrade", **{**environment, "PORTAL_DATABASE_URL": right}).exit_code == 0
    assert said(PORTAL_DATABASE_URL=right)["database schema"] == (True, False, "up to date")
    with psycopg.connect(right.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("ALTER ROLE careers SET default_transaction_read_only = on")
    assert "read-only access, as a standby does" in said(PORTAL_DATABASE_URL=right)["database schema"][2]
    with psycopg.connect(right.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("SET transaction_read_only = off")
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("ALTER ROLE careers SET default_transaction_read_only = off")
    weak = right.replace("careers:right", "weak:right")
    assert "the role weak has no permissions there" in said(PORTAL_DATABASE_URL=weak)["database schema"][2]
    with psycopg.connect(right.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO weak")
        ok, _, says = said(PORTAL_DATABASE_URL=weak)["database schema"]
        assert not ok
        assert "cannot read and write" in says
        assert "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES" in says
        connection.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO weak")
        assert said(PORTAL_DATABASE_URL=weak)["database schema"][0]


def test_a_service_on_sqlite_beside_postgresql_is_a_warning(said: Said, postgres: Postgres, tmp_path: Path):
    here = {"TRACKER_DATABASE_URL": "sqlite:///tracker.db"}
    with postgres.database() as url:
        assert "service database" not in said(PORTAL_DATABASE_URL=url, **here), "no service runs here"
        (tmp_path / "tracker.db").touch()
        ok, warns, says = said(PORTAL_DATABASE_URL=url, **here)["service database"]
    assert (ok, warns) == (True, True)
    assert "only this machine can use it" in says
    assert "service database" not in said(**here), "both are on SQLite"


def test_an_invalid_missing_or_full_sqlite_file_is_reported(said: Said, environment: dict[str, str], tmp_path: Path):
    assert "portal db upgrade" in said()["database schema"][2]
    assert not (tmp_path / "portal.db").exists(), "a check creates no database"
    (tmp_path / "text.db").write_text("this is a letter and no database, however one looks at it\n" * 20)
    assert "is not an SQLite database" in said(PORTAL_DATABASE_URL="sqlite:///text.db")["database schema"][2]
    (tmp_path / "folder.db").mkdir()
    assert "must be a file" in said(PORTAL_DATABASE_URL="sqlite:///folder.db")["database schema"][2]
    (tmp_path / "file").touch()
    ok, _, says = said(PORTAL_DATABASE_URL="sqlite:///file/portal.db")["settings"]
    assert not ok
    assert f"the database's folder {tmp_path / 'file'} cannot be made" in says


def test_an_sqlite_file_with_a_damaged_page_is_reported(said: Said, environment: dict[str, str], tmp_path: Path):
    assert portal("db", "upgrade", **environment).exit_code == 0
    assert said()["database schema"] == (True, False, "up to date; quick_check found no damage")
    file = tmp_path / "portal.db"
    with closing(sqlite3.connect(file)) as connection:
        rows = [(f"filler-{number}", "acme", "x" * 20, number) for number in range(2_000)]
        connection.executemany("INSERT INTO refused_uploads (day, tenant, reason, count) VALUES (?, ?, ?, ?)", rows)
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute("PRAGMA page_size").fetchone()
    damaged = bytearray(file.read_bytes())
    damaged[-page:] = b"\x7f" * page
    file.write_bytes(damaged)
    ok, _, says = said()["database schema"]
    assert not ok
    assert f"{file}: the file is damaged: stop everything that uses it and restore a backup" in says


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")
def test_an_sqlite_file_of_another_user_is_reported(environment: dict[str, str]):
    with private_folder() as home:
        (home / "tenants").mkdir()
        home.chmod(0o755)
        mine = {**environment, "PORTAL_HOME": str(home)}
        assert portal("db", "upgrade", **mine).exit_code == 0
        (home / "portal.db").chmod(0o644)
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-m", "portal.cli", "check"],
            env={**os.environ, **mine},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    (line,) = (line for line in done.stdout.splitlines() if "database schema" in line)
    assert line.startswith("FAILED")
    assert f"{home}/portal.db belongs to root, and this process runs as nobody: run `chown nobody {home}" in line


def test_each_rejection_by_s3_has_its_own_message(said: Said, s3: RunningRadosgw, tmp_path: Path):
    here = {"PORTAL_ATTACHMENTS": f"s3://{s3.bucket}", "PORTAL_S3_ENDPOINT": s3.endpoint}
    assert said(**here)["attachments"] == (True, False, "test file written, read back, deleted")
    stranger = s3.user("stranger")
    cases = {
        "AWS_SECRET_ACCESS_KEY is not the one": {"AWS_SECRET_ACCESS_KEY": "hunter2"},
        "does not know this AWS_ACCESS_KEY_ID": {"AWS_ACCESS_KEY_ID": "NOBODY"},
        "there is no bucket nothing-of-ours": {"PORTAL_ATTACHMENTS": "s3://nothing-of-ours"},
        "is PORTAL_S3_ENDPOINT right": {"PORTAL_S3_ENDPOINT": f"http://127.0.0.1:{free_port()}"},
        "`portal storage policy` prints": {
            "AWS_ACCESS_KEY_ID": stranger.access_key,
            "AWS_SECRET_ACCESS_KEY": stranger.secret_key,
        },
    }
    for expected, changed in cases.items():
        ok, _, says = said(**{**here, **changed})["attachments"]
        assert not ok
        assert expected in says, says
        assert "hunter2" not in says


def test_a_wrong_clock_is_reported(said: Said, s3: RunningRadosgw):
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=1)):
        _, _, says = said(PORTAL_ATTACHMENTS=f"s3://{s3.bucket}", PORTAL_S3_ENDPOINT=s3.endpoint)["attachments"]
    assert "more than a quarter of an hour apart: run NTP" in says


def test_a_full_disk_is_reported(tmp_path: Path):
    with sqlite3.connect(tmp_path / "full.db") as connection:
        connection.execute("PRAGMA max_page_count = 2")
        connection.execute("CREATE TABLE t (x)")
        with pytest.raises(sqlite3.OperationalError) as caught:
            connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    connection.close()
    assert why(caught.value, "sqlite:///full.db") == "full.db: its disk is full: free up disk space; nothing is lost"


def test_an_address_without_s3_is_reported(said: Said, s3: RunningRadosgw, tmp_path: Path):
    port = free_port()
    argv = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port)]
    from tests.parts.process import accepts

    with running(argv, log=tmp_path / "log", ready=lambda: accepts(port), cwd=tmp_path):
        ok, _, says = said(PORTAL_ATTACHMENTS="s3://careers", PORTAL_S3_ENDPOINT=f"http://127.0.0.1:{port}")[
            "attachments"
        ]
    assert not ok
    assert "does not speak S3" in says, says


@pytest.mark.parametrize(
    "behaviour", [html(), answer(raw=b"", status=204), answer(raw=b"", status=302, headers={"Location": "/again"})]
)
def test_a_server_with_invalid_responses_is_one_line_of_the_report(
    said: Said, behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch
):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "eu-central-1")
    with misbehaving(behaviour) as server:
        lines = said(PORTAL_ATTACHMENTS="s3://careers", PORTAL_S3_ENDPOINT=server.url)
    ok, _, says = lines["attachments"]
    assert not ok
    assert "bucket careers" in says, says
    assert list(lines)[-1] == "scanner"


def test_an_internal_error_is_one_line_of_the_report(said: Said, environment: dict[str, str]):
    """An unexpected error: a host name that resolvers reject."""
    lines = said(PORTAL_MAIL=f"smtp://{'x' * 70}.example:25?from=careers@example.com")
    assert lines["mail"][0] is False
    assert list(lines)[-1] == "scanner"


def test_each_rejection_by_a_mail_server_has_its_own_message(said: Said, tmp_path: Path):
    certificate = tmp_path / "mail.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=mail.invalid", "-days", "2"]
    subprocess.run([*make, "-keyout", certificate, "-out", tmp_path / "crt"], check=True, capture_output=True)
    certificate.write_text(certificate.read_text() + (tmp_path / "crt").read_text())
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    with running_smtp(credentials=("careers", "right")) as server:
        signed_in = f"smtp://careers:right@127.0.0.1:{server.port}"
        assert said(PORTAL_MAIL=signed_in)["mail"][0]
        wrong = said(PORTAL_MAIL=signed_in.replace("right", "hunter2"))["mail"]
        without = said(PORTAL_MAIL=signed_in.replace("smtp:", "smtps:"))["mail"]
    assert "rejects the user or password of PORTAL_MAIL" in wrong[2]
    assert "hunter2" not in wrong[2]
    assert "does not begin with TLS there" in without[2]
    with running_smtp(tls=tls) as server:
        assert "its certificate does not hold" in said(PORTAL_MAIL=f"smtps://127.0.0.1:{server.port}")["mail"][2]
    with running_smtp(credentials=("careers", "right"), host="127.0.0.2") as server:
        in_clear = said(PORTAL_MAIL=f"smtp://careers:right@127.0.0.2:{server.port}")["mail"]
    assert "offers no TLS" in in_clear[2]
    assert "nothing is listening at host and port" in said(PORTAL_MAIL=f"smtp://127.0.0.1:{free_port()}")["mail"][2]
    assert not any(found[0] for found in (wrong, without, in_clear))


def test_each_rejection_by_redis_has_its_own_message(said: Said, redis: RunningRedis):
    assert "PORTAL_RATE_LIMITS" in said()["rate limits"][2], "counting in memory is reported, and is no failure"
    assert said(PORTAL_RATE_LIMITS=redis.url)["rate limits"] == (True, False, "counted across all processes")
    away = said(PORTAL_RATE_LIMITS=f"redis://127.0.0.1:{free_port()}/0")["rate limits"]
    elsewhere = said(PORTAL_RATE_LIMITS=redis.url.replace("/0", "/99999"))["rate limits"]
    import redis as client

    with client.Redis(port=redis.port) as connection:
        connection.config_set("requirepass", "right")
        try:
            locked = said(PORTAL_RATE_LIMITS=redis.url)["rate limits"]
            wrong = said(PORTAL_RATE_LIMITS=redis.url.replace("://", "://:hunter2@"))["rate limits"]
            right = said(PORTAL_RATE_LIMITS=redis.url.replace("://", "://:right@"))["rate limits"]
        finally:
            connection.auth("right")
            connection.config_set("requirepass", "")
    assert right[0]
    assert "does not respond at PORTAL_RATE_LIMITS" in away[2]
    assert "an existing database" in elsewhere[2]
    assert "rejects the password" in locked[2]
    assert "rejects the password" in wrong[2]
    assert "hunter2" not in wrong[2]
    assert not any(found[0] for found in (away, elsewhere, locked, wrong))


def test_data_that_was_never_synced_is_no_failure(said: Said, environment: dict[str, str]):
    portal("db", "upgrade", **environment)
    lines = said()
    comes = "not synced yet: `portal worker` does this automatically, `portal sync` immediately"
    assert lines["mirror acme"] == (True, True, comes)
    assert lines["index acme"][:2] == (True, True)
    assert [what for what, (ok, *_) in lines.items() if not ok] == ["service acme"], (
        "only that the service is unavailable"
    )


def test_an_unknown_variable_is_reported_with_the_most_similar_one(said: Said):
    ok, warns, says = said(PORTAL_DATABSE_URL="sqlite:///hunter2", PORTAL_SERVICE_HOST="10.0.0.1")["settings"]
    assert (ok, warns) == (True, True)
    assert says == "PORTAL_DATABSE_URL is no setting: is PORTAL_DATABASE_URL meant?"
