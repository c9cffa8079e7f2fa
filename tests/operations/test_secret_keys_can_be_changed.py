"""The secret key is changed as the manual describes while applications wait: none is lost, and the check reports when
the former key can be removed.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.delivery.running_portal import RunningPortal, running_portal
from tests.parts import command

OLD, NEW = "an-old-secret-for-tests-32-chars", "a-new-secret-for-tests-32-chars!"


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningPortal]:
    if request.param == "sqlite":
        with running_portal(tmp_path / "site", f"sqlite:///{tmp_path / 'portal.db'}", PORTAL_SECRET_KEY=OLD) as made:
            yield made
    else:
        with (
            request.getfixturevalue("postgres").database() as url,
            running_portal(tmp_path / "site", url, PORTAL_SECRET_KEY=OLD) as made,
        ):
            yield made


def _keys(site: RunningPortal, current: str, *former: str) -> None:
    site.environment |= {"PORTAL_SECRET_KEY": current, "PORTAL_SECRET_KEY_FALLBACKS": ",".join(former)}


def _restarted(site: RunningPortal, *names: str) -> None:
    site.kill(*names)
    site.start(*names)
    if "serve" in names:
        site.serving()


def _checked(site: RunningPortal) -> list[str]:
    done = command.portal("check", environment=site.environment)
    lines = [line for line in done.stdout.splitlines() if "secret keys" in line]
    assert "current key" in lines[0], done.stdout
    return lines[1:]


def test_the_procedure_of_the_manual_loses_nothing(site: RunningPortal):
    site.start("serve", "worker")
    site.serving()
    site.settled()
    assert _checked(site) == [], "only one key is set"
    site.kill("worker")
    waiting = [site.acknowledge(site.open_form(name)) for name in site.services]
    draft = site.open_form()

    _keys(site, OLD, NEW)
    _restarted(site, "serve")
    assert "is not used yet" in _checked(site)[0]
    _keys(site, NEW, OLD)
    waiting += [site.acknowledge(draft)]  # its form and its server use the old key
    _restarted(site, "serve")
    waiting += [site.acknowledge(site.open_form(name)) for name in site.services]
    (line,) = _checked(site)
    assert "still needed" in line

    assert "0 rows encrypted anew" not in (done := site.portal("db", "rekey"))
    assert "rows encrypted anew with the current key" in done
    assert "0 rows encrypted anew" in site.portal("db", "rekey")
    (line,) = _checked(site)
    assert "decrypts nothing any more" in line

    _keys(site, NEW)
    _restarted(site, "serve")
    assert "nothing that is stored needs them" in _checked(site)[0]
    site.start("worker")
    site.settled()
    assert {site.services[site.acknowledged[one]].counts()[one] for one in waiting} == {1}


@pytest.mark.verify
@pytest.mark.parametrize("order", [("serve", "worker"), ("worker", "serve")], ids=lambda names: f"{names[0]} first")
def test_applications_arrive_whichever_process_restarts_first(site: RunningPortal, order: tuple[str, str]):
    site.start("serve", "worker")
    site.serving()
    sent = [site.acknowledge(site.open_form())]
    for current, *former in ((OLD, NEW), (NEW, OLD), (NEW,)):
        _keys(site, current, *former)
        for name in order:
            form = site.open_form()
            _restarted(site, name)
            sent += [site.acknowledge(form), site.acknowledge(site.open_form())]
        if former == [OLD]:
            site.portal("db", "rekey")
    site.settled()
    assert {site.services["acme"].counts()[one] for one in sent} == {1}


def test_a_key_removed_too_early_is_named_and_nothing_is_lost(site: RunningPortal):
    site.start("serve", "worker")
    site.serving()
    without = {**site.environment, "PORTAL_SECRET_KEY": NEW}
    site.until(lambda: "removed: " in command.portal("check", environment=without).stdout, "the key is recorded")
    site.kill("worker")
    reference = site.acknowledge(site.open_form())
    _keys(site, NEW)
    _restarted(site, "serve")
    (line,) = _checked(site)
    assert line.startswith("FAILED")
    assert "used here before and not set" in line
    failed = command.portal("db", "rekey", environment=site.environment)
    assert failed.returncode == 1
    assert "(deliveries 1, " in failed.stderr
    assert "add it to PORTAL_SECRET_KEY_FALLBACKS" in failed.stderr
    _keys(site, NEW, OLD)
    site.portal("db", "rekey")
    _keys(site, NEW)
    _restarted(site, "serve")
    site.start("worker")
    site.settled()
    assert site.services["acme"].counts()[reference] == 1


def test_commands_with_the_previous_settings_change_nothing(site: RunningPortal):
    site.start("worker")
    other = {**site.environment, "PORTAL_SECRET_KEY": NEW}
    site.until(lambda: "removed: " in command.portal("check", environment=other).stdout, "the old key is recorded")
    before = {**site.environment, "PORTAL_SECRET_KEY_FALLBACKS": NEW}
    _keys(site, NEW, OLD)
    _restarted(site, "worker")
    site.until(lambda: command.portal("db", "rekey", environment=before).returncode == 1, "the new key is recorded")
    refused = command.portal("db", "rekey", environment=before)
    assert "nothing was changed" in refused.stderr
    assert "load the settings" in refused.stderr
    back = refused.stderr.rpartition("--to ")[2].strip()
    assert command.portal("db", "rekey", "--to", back, environment=before).returncode == 0
