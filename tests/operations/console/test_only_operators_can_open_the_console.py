"""Without a proxy the console accepts users of its machine only; with one, the users that the proxy names."""

import logging
from pathlib import Path

import pytest
from click.testing import CliRunner

from portal.app import create_console
from portal.cli import portal as command
from portal.operations.actions.audit import ActionChannel, by_this_account
from portal.platform.config.settings import Settings
from portal.platform.errors import SettingsError
from tests import builders
from tests.builders import SECRET
from tests.operations.console.conftest import Visit

PROOF = "a secret of the proxy, 32 signs".replace(" ", "-")
BEHIND = {"console_user_header": "X-Forwarded-User", "console_proxy_secret": PROOF}
PROXY = {"X_Console_Secret": PROOF}
NAMED = {"X_Forwarded_User": "ops@example.com", **PROXY}


@pytest.mark.parametrize("at", ["http://127.0.0.1:8002", "http://localhost:8002", "http://[::1]:8002"])
def test_local_users_are_accepted_with_their_account_name(visit: Visit, at: str):
    answer = visit(at=at)
    assert answer.status_code == 200
    assert by_this_account(ActionChannel.DESK).name in answer.text


@pytest.mark.parametrize(
    "host",
    ["rebound.example:8002", "127.0.0.1:8003", "127.0.0.1", "127.0.0.1:8002.evil.example", "localhost.evil:8002", ""],
)
def test_dns_rebinding_is_rejected(visit: Visit, host: str):
    answer = visit(Host=host)
    assert answer.status_code == 403
    assert "The console is not at this address" in answer.text
    assert "Submissions" not in answer.text


def test_other_machines_are_rejected(visit: Visit):
    assert visit(peer="10.0.0.7").status_code == 403
    assert visit(peer="::ffff:10.0.0.7").status_code == 403
    assert visit(peer="nonsense").status_code == 403
    assert visit(peer="::ffff:127.0.0.1").status_code == 200


@pytest.mark.parametrize(
    "name",
    ["X_Forwarded_For", "X_Forwarded_Host", "X_Forwarded_User", "Forwarded", "Via", "X_Real_IP", "CF_Connecting_IP"],
)
def test_an_unconfigured_proxy_is_rejected(visit: Visit, name: str):
    answer = visit(**{name: "127.0.0.1"})
    assert answer.status_code == 403
    assert "PORTAL_CONSOLE_USER_HEADER" in answer.text


@pytest.mark.parametrize("visit", [BEHIND], indirect=True)
def test_users_named_by_the_configured_proxy_are_accepted(visit: Visit):
    answer = visit(**NAMED, X_Forwarded_For="203.0.113.9")
    assert answer.status_code == 200
    assert "ops@example.com" in answer.text


@pytest.mark.parametrize("visit", [{}, BEHIND], indirect=True)
def test_health_checks_reveal_only_that_the_console_runs(visit: Visit):
    answer = visit("/healthz", peer="10.0.0.7", Host="10.0.0.8:8002")
    assert (answer.status_code, answer.text) == (200, "ok\n")


@pytest.mark.parametrize("visit", [BEHIND], indirect=True)
@pytest.mark.parametrize("name", ["x", "n" * 100])
def test_user_names_of_up_to_a_hundred_characters_are_accepted(visit: Visit, name: str):
    assert visit(X_Forwarded_User=name, **PROXY).status_code == 200


@pytest.mark.parametrize("visit", [BEHIND], indirect=True)
@pytest.mark.parametrize("name", ["", " ", "n" * 101, "one,two", "a\x7fb", "a\x1bb"])
def test_requests_without_a_user_name_are_rejected(visit: Visit, name: str):
    answer = visit(X_Forwarded_User=name, **PROXY)
    assert answer.status_code == 403
    assert "The proxy must say who you are" in answer.text
    assert visit(**PROXY).status_code == 403


@pytest.mark.parametrize("visit", [BEHIND], indirect=True)
def test_a_repeated_user_header_is_rejected(visit: Visit):
    """The server joins two headers of one name, one of which was sent by the client."""
    assert visit(X_Forwarded_User="attacker,ops@example.com", **PROXY).status_code == 403


@pytest.mark.parametrize("visit", [BEHIND], indirect=True)
def test_the_user_header_is_ignored_from_other_addresses(visit: Visit):
    assert visit(peer="10.0.0.7", **NAMED).status_code == 403


@pytest.mark.parametrize("visit", [BEHIND], indirect=True)
def test_a_page_using_dns_rebinding_cannot_send_a_user_name(visit: Visit):
    assert visit(Host="rebound.example:8002", **NAMED).status_code == 403
    assert visit(Host="desk.example", **NAMED).status_code == 403
    assert visit(Host="10.0.0.5:8002", **NAMED).status_code == 200, (
        "a proxy forwards to an IP address, which no DNS name can replace"
    )


@pytest.mark.parametrize("visit", [BEHIND], indirect=True)
@pytest.mark.parametrize("sent", [None, "", PROOF[:-1], f"{PROOF}x", PROOF.upper(), f"{PROOF},{PROOF}"])
def test_a_user_name_without_the_secret_of_the_proxy_is_rejected(visit: Visit, sent: str | None):
    """Any program on the proxy's machine can reach the console and send the header."""
    secret = {} if sent is None else {"X_Console_Secret": sent}
    answer = visit(X_Forwarded_User="ops@example.com", **secret)
    assert answer.status_code == 403
    assert "PORTAL_CONSOLE_PROXY_SECRET" in answer.text
    assert PROOF not in answer.text


@pytest.mark.parametrize("visit", [BEHIND], indirect=True)
def test_the_secret_of_the_proxy_is_on_no_page(visit: Visit):
    answer = visit(**NAMED)
    assert answer.status_code == 200
    assert PROOF not in answer.text


def test_a_console_behind_a_proxy_needs_a_secret_to_start(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    own = {"PORTAL_SECRET_KEY": SECRET, "PORTAL_DATABASE_URL": f"sqlite:///{tmp_path / 'p.db'}"}
    behind = {"PORTAL_CONSOLE_USER_HEADER": "X-Forwarded-User"}
    assert CliRunner().invoke(command, ["console"], env=own | behind).exit_code == 1
    assert "PORTAL_CONSOLE_PROXY_SECRET: required with PORTAL_CONSOLE_USER_HEADER" in caplog.text
    assert "openssl rand -hex 32" in caplog.text
    made = builders.portal(tmp_path / "portal", console_user_header="X-Forwarded-User")
    with pytest.raises(SettingsError, match="PORTAL_CONSOLE_PROXY_SECRET"):
        create_console(made.parts)


@pytest.mark.parametrize(
    ("secret", "taken"), [("s" * 15, False), ("s" * 16, True), ("s" * 200, True), ("s" * 201, False)]
)
def test_the_secret_must_be_long_enough_and_valid_in_a_header(secret: str, taken: bool):
    said = {"PORTAL_SECRET_KEY": SECRET, "PORTAL_CONSOLE_PROXY_SECRET": secret}
    if taken:
        found = Settings.from_env(said)
        assert found.console_proxy_secret == secret
        assert secret not in repr(found)
        return
    with pytest.raises(SettingsError, match="PORTAL_CONSOLE_PROXY_SECRET: expected 16 to 200") as refused:
        Settings.from_env(said)
    assert secret not in str(refused.value)


def _networks() -> object:
    said = {"PORTAL_SECRET_KEY": "s" * 16, "PORTAL_CONSOLE_PROXIES": "10.0.0.5, 10.1.0.0/24"}
    return Settings.from_env(said).console_proxies


@pytest.mark.parametrize(
    "visit",
    [{**BEHIND, "console_proxies": _networks(), "console_origin": "https://desk.example"}],
    indirect=True,
)
def test_a_remote_proxy_is_configured_by_its_address(visit: Visit):
    said = {"Host": "desk.example", **NAMED}
    assert visit(peer="10.0.0.5", **said).status_code == 200
    assert visit(peer="10.1.0.255", **said).status_code == 200
    assert visit(peer="10.0.0.6", **said).status_code == 403
    assert visit(peer="10.1.1.0", **said).status_code == 403
    assert visit(peer="10.0.0.5", Host="other.example", **NAMED).status_code == 403


def test_rejected_requests_are_security_events(visit: Visit, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.INFO, logger="portal.security"):
        visit(Host="rebound.example:8002")
    assert [str(one.msg) for one in caplog.records if "console_refused" in str(one.msg)]
    assert "rebound" not in caplog.text


def test_pages_are_not_cached_framed_or_indexed(visit: Visit):
    for answer in (visit(), visit("/nothing-here"), visit(Host="rebound.example")):
        told = answer.headers
        assert told["Cache-Control"] == "no-store"
        assert "default-src 'none'" in told["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in told["Content-Security-Policy"]
        assert told["X-Frame-Options"] == "DENY"
        assert "Set-Cookie" not in told
    assert visit().headers["X-Robots-Tag"] == "noindex"
