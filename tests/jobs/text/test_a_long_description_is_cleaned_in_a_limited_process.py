"""Long descriptions are cleaned in a separate process with a CPU limit, so that they delay no other tenant."""

import os
import signal
import time
from collections.abc import Iterator

import psutil
import pytest

from portal.jobs.text.cleaning import AT_ONCE, Cleaner, clean, flat
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy

ORDINARY = "<p>Night &amp; day <b>nurse</b></p>" * 400
INVOLVED = "<ul><li><b>x</b><br></li></ul>" * 6_000


def helpers() -> list[psutil.Process]:
    mine = [one for one in psutil.Process().children() if one.status() != psutil.STATUS_ZOMBIE]
    return [one for one in mine if "portal.jobs.text.cleaning" in one.cmdline()]


@pytest.fixture
def cleaner() -> Iterator[Cleaner]:
    cleaner = Cleaner()
    yield cleaner
    cleaner.close()


def test_several_processes_clean_a_long_description_like_any_other(cleaner: Cleaner) -> None:
    before = len(helpers())
    for _ in range(3):
        assert cleaner.clean(ORDINARY, whose="acme") == clean(ORDINARY)
    assert len(helpers()) == before + 1
    cleaner.close()
    assert len(helpers()) == before


def test_a_short_description_needs_no_process(cleaner: Cleaner) -> None:
    before = len(helpers())
    short = ORDINARY[:AT_ONCE]
    assert cleaner.clean(short, whose="acme") == clean(short)
    assert len(helpers()) == before


def test_a_description_that_takes_too_long_is_reduced_to_its_text_and_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    cleaner = Cleaner(seconds=0.005)
    assert cleaner.clean(INVOLVED, whose="acme") == flat(INVOLVED)
    assert "a description of acme takes too long" in caplog.text
    assert "x" in flat(INVOLVED)
    assert "<ul>" not in flat(INVOLVED)


def test_a_process_that_was_killed_is_started_again(cleaner: Cleaner, caplog: pytest.LogCaptureFixture) -> None:
    before = set(helpers())
    cleaner.clean(ORDINARY, whose="acme")
    (mine,) = set(helpers()) - before
    os.kill(mine.pid, signal.SIGKILL)
    psutil.wait_procs([mine], timeout=5)
    assert cleaner.clean(ORDINARY, whose="acme") == clean(ORDINARY)
    assert not caplog.text


def test_the_process_knows_no_secret(cleaner: Cleaner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTAL_SECRET_KEY", "a secret of sixteen letters")
    before = set(helpers())
    cleaner.clean(ORDINARY, whose="acme")
    (mine,) = set(helpers()) - before
    assert "PORTAL_SECRET_KEY" not in mine.environ()


def test_the_work_is_not_done_in_the_main_process(cleaner: Cleaner) -> None:
    """Otherwise other threads would wait for the interpreter."""
    began = time.thread_time()
    clean(INVOLVED)
    here = time.thread_time() - began
    cleaner.clean(ORDINARY, whose="acme")
    began = time.thread_time()
    cleaner.clean(INVOLVED, whose="acme")
    assert time.thread_time() - began < here / 4


def test_a_sync_accepts_long_and_hostile_descriptions(mirrored: Mirror) -> None:
    worst = "<a><div>" * 20_000 + "Worst"
    mirrored.service.put(vacancy("v1", description=ORDINARY))
    mirrored.service.put(vacancy("v2", description=worst))
    assert mirrored.sync().changed == 2
    one, two = mirrored.posting("v1"), mirrored.posting("v2")
    assert one is not None
    assert two is not None
    assert one.description == clean(ORDINARY)
    assert two.description == "<p>Worst</p>"
