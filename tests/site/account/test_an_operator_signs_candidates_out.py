"""`portal profile sign-out` ends the sessions of one candidate or of all; the address is typed, never an argument."""

from portal.operations.actions import audit
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, candidate
from tests.site.account.test_a_candidate_has_access_to_her_own_data_only import eve
from tests.site.account.test_an_operator_uses_the_commands_for_candidates import run

WORK = "ada@work.example"


def is_in(visitor: Visitor) -> bool:
    return visitor.client.get(visitor.at("/profile/edit")).status_code == 200


def test_one_is_signed_out_and_nobody_else(acme: Portal, ada: Visitor):
    ada.sign_in()
    other = eve(acme)
    done = run(acme, "profile", "sign-out", "acme", typed=f"{ADA.upper()}\n")
    assert (done.returncode, done.stdout) == (0, "Sessions that ended: 1.\n"), done.stderr
    assert (is_in(ada), is_in(other)) == (False, True)
    ada.sign_in()
    assert is_in(ada)


def test_so_is_a_session_that_another_address_of_hers_opened(acme: Portal):
    emails = [{"email": one, "purpose": "personal", "isPrimary": one == ADA} for one in (ADA, WORK)]
    acme.service.load("acme", [candidate("adas-id", emails=emails)])
    acme.service.load("acme", [candidate(emails=[])])
    acme.parts.clock.pass_time(61)
    acme.work.index_what_is_due()
    visitor = Visitor(acme)
    visitor.sign_in(WORK)
    assert is_in(visitor)
    assert run(acme, "profile", "sign-out", "acme", typed=f"{ADA}\n").returncode == 0
    assert not is_in(visitor)


def test_a_code_that_was_sent_before_opens_nothing(acme: Portal, ada: Visitor):
    from tests.site.account.candidate import code_in, mailbox

    ada.ask()
    assert run(acme, "profile", "sign-out", "acme", typed=f"{ADA}\n").returncode == 0
    assert ada.enter(code_in(mailbox(acme)[-1])).status_code == 422
    assert not is_in(ada)


def test_all_of_a_company_are_signed_out_and_the_log_says_so(acme: Portal, ada: Visitor):
    ada.sign_in()
    other = eve(acme)
    assert run(acme, "profile", "sign-out", "acme", "--everybody").stdout == "Sessions that ended: 2.\n"
    assert (is_in(ada), is_in(other)) == (False, False)
    (entry,) = audit.entries(acme.parts.database)
    assert (entry.what, entry.tenant, entry.by.way) == ("sign-out", "acme", "command")


def test_those_of_another_company_stay(acme: Portal, ada: Visitor):
    ada.sign_in()
    acme.add_tenant("globex", "Globex")
    assert run(acme, "profile", "sign-out", "globex", "--everybody").stdout == "Sessions that ended: 0.\n"
    assert is_in(ada)
