"""`portal tracker colleague sign-out` ends the sessions of one colleague or of all; the address is typed."""

import subprocess

from tests.parts.command import portal
from tests.tracker.hiring.site import OWNER, READER, SECRET, HiringBrowser, HiringSite


def run(hiring: HiringSite, *words: str, typed: str = "", secret: str = SECRET) -> subprocess.CompletedProcess[str]:
    url = hiring.office.database.engine.url.render_as_string(hide_password=False)
    environment = {"TRACKER_DATABASE_URL": url, "TRACKER_SECRET_KEY": secret}
    return portal("tracker", "colleague", "sign-out", *words, environment=environment, typed=typed)


def is_in(browser: HiringBrowser) -> bool:
    return browser.get("/account").url.path == f"/{browser.slug}/hiring/account"


def test_one_is_signed_out_and_the_log_says_so(hiring: HiringSite):
    owner, reader = hiring.signed_in(), hiring.signed_in(READER)
    done = run(hiring, "acme", typed=f"{READER.upper()}\n")
    assert (done.returncode, done.stdout) == (0, "Sessions that ended: 1.\n"), done.stderr
    assert (is_in(owner), is_in(reader)) == (True, False)
    owner.get("/log")
    assert f"command line signed {READER} out." in owner.words
    assert is_in(hiring.signed_in(READER))


def test_all_of_a_company_are_signed_out(hiring: HiringSite):
    hiring.office.neighbour()
    hiring.add(OWNER, hiring.visit().colleague.role, "globex")
    ours, theirs = [hiring.signed_in(), hiring.signed_in(READER)], hiring.signed_in(OWNER, "globex")
    assert run(hiring, "acme", "--everybody").stdout == "Sessions that ended: 2.\n"
    assert [is_in(one) for one in (*ours, theirs)] == [False, False, True]
    owner = hiring.signed_in()
    owner.get("/log")
    assert "command line signed everybody out." in owner.words


def test_without_the_services_key_it_says_what_to_do(hiring: HiringSite):
    failed = run(hiring, "acme", typed=f"{READER}\n", secret="")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "TRACKER_SECRET_KEY is not set" in failed.stderr
