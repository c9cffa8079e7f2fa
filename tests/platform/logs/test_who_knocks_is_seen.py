"""Security events are one line each, in a separate stream, with people as keyed hashes."""

import re
from pathlib import Path

from portal.people.signin.codes import TRIES
from portal.platform.crypto.sealing import Seal, mailbox_in_a_log
from tests.builders import SECRET, Portal
from tests.platform.logs.hearing import Hearing
from tests.site.account.candidate import ADA, Visitor, code_in, mailbox, open_acme
from tests.site.account.test_a_candidate_changes_the_record import confirm
from tests.site.account.test_a_new_address_is_proven_before_it_is_sent import ask_to_add, post
from tests.site.apply.applicant import Applicant

HASH = re.compile(r"[0-9a-f]{16}")


def names(heard: Hearing) -> list[str]:
    return [line["event"] for line in heard.security]


def test_a_code_asked_for_and_a_session_begun_and_ended(ada: Visitor, heard: Hearing):
    ada.sign_in()
    ada.post("/profile/sign-out", ada.get("/profile/applications"))
    assert names(heard) == ["code_asked", "session_begun", "session_ended"]
    assert {line["mailbox"] for line in heard.security} == {mailbox_in_a_log(Seal(SECRET), ADA)}
    assert all(HASH.fullmatch(line["network"]) and line["tenant"] == "acme" for line in heard.security)


def test_the_same_on_each_database(tmp_path: Path, portal_url: str, heard: Hearing):
    there = open_acme(tmp_path / "portal", database_url=portal_url)
    her = Visitor(there)
    her.ask()
    her.enter("0000 0000")
    her.enter(code_in(mailbox(there)[-1]))
    her.post("/profile/sign-out", her.get("/profile/applications"))
    assert names(heard) == ["code_asked", "code_wrong", "session_begun", "session_ended"]
    there.parts.database.close()


def test_signed_in_twice_the_first_session_is_replaced(acme: Portal, ada: Visitor, heard: Hearing):
    ada.sign_in()
    Visitor(acme).sign_in()
    assert names(heard) == ["code_asked", "session_begun"] * 2 + ["session_replaced"]


def test_a_wrong_code_and_one_whose_tries_are_spent(ada: Visitor, heard: Hearing):
    ada.ask()
    for _ in range(TRIES + 1):
        ada.enter("0000 0000")
    assert names(heard) == ["code_asked"] + ["code_wrong"] * (TRIES - 1) + ["code_spent"] * 2
    assert {line["mailbox"] for line in heard.security} == {mailbox_in_a_log(Seal(SECRET), ADA)}


def test_a_code_that_is_too_old(acme: Portal, ada: Visitor, heard: Hearing):
    ada.ask()
    acme.parts.clock.pass_time(acme.parts.settings.code_ttl + 1)
    ada.enter(code_in(mailbox(acme)[-1]))
    assert names(heard) == ["code_asked", "code_expired"]


def test_a_code_that_was_used(acme: Portal, ada: Visitor, heard: Hearing):
    ada.ask()
    code, page, cookies = code_in(mailbox(acme)[-1]), ada.get("/profile/code"), dict(ada.client.cookies)
    ada.post("/profile/code", page, code=code)
    ada.client.cookies.update(cookies)
    ada.post("/profile/code", page, code=code)
    assert names(heard) == ["code_asked", "session_begun", "code_spent"]


def test_a_post_from_another_site(acme: Portal, heard: Hearing):
    with acme.browser() as client:
        assert Applicant(client).post(headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert names(heard) == ["forbidden"]


def test_one_too_many_names_its_limit(acme: Portal, heard: Hearing):
    with acme.browser() as client:
        form = Applicant(client)
        while form.post(None).status_code != 429:
            pass
    (line,) = heard.security
    assert (line["event"], line["limit"]) == ("limited", "apply")


def test_a_file_that_is_not_taken_says_why(acme: Portal, heard: Hearing):
    with acme.browser() as client:
        Applicant(client).post(("cv.txt", b""))
        Applicant(client).post(("cv.exe", b"MZ\x90\x00" * 100))
    assert [(line["event"], line["reason"]) for line in heard.security] == [
        ("upload_refused", "empty"),
        ("upload_refused", "wrong_type"),
    ]


def test_a_forged_form_and_one_of_another_job(acme: Portal, heard: Hearing):
    from tests.site.apply.conftest import vacancy

    acme.service.load("acme", [vacancy("job-2", "Fitter")])
    acme.parts.clock.pass_time(120)
    acme.work.mirror_what_is_due()
    with acme.browser() as client:
        here, there = Applicant(client), Applicant(client, "/acme/jobs/job-2/apply")
        here.post(hidden={**here.page.hidden, "token": "_" + here.page.hidden["token"]})
        here.post(hidden=there.page.hidden)
    assert [(line["event"], line["reason"]) for line in heard.security] == [
        ("form_refused", "forged"),
        ("form_refused", "anothers"),
    ]


def test_an_address_of_a_record_that_changes(acme: Portal, ada: Visitor, heard: Hearing):
    ada.sign_in()
    prove = ask_to_add(ada)
    acme.work.deliver_what_is_due()
    heard.lines.clear()
    post(ada, prove, code=code_in(mailbox(acme)[-1]))
    (line,) = heard.security
    assert (line["event"], line["mailbox"]) == ("address_changed", mailbox_in_a_log(Seal(SECRET), ADA))
    assert line["reference"] == heard.of("accepted")[0]["reference"]


def test_a_change_of_a_name_is_none_of_an_address(acme: Portal, ada: Visitor, heard: Hearing):
    ada.sign_in()
    heard.lines.clear()
    confirm(ada, ada.form().press(firstName="Augusta"))
    assert names(heard) == []


def test_a_withdrawal_and_an_erasure_once_however_often_they_are_pressed(acme: Portal, ada: Visitor, heard: Hearing):
    reference = Applicant(ada.client).receipt().rpartition("/")[2]
    ada.sign_in()
    heard.lines.clear()
    page = ada.get(f"/profile/applications/{reference}/withdraw")
    for _ in range(2):
        ada.post(f"/profile/applications/{reference}/withdraw", page)
    page = ada.get("/profile/erase")
    for _ in range(2):
        ada.post("/profile/erase", page)
    assert names(heard) == ["withdrawn", "erasure_asked"]


def test_a_key_that_the_service_refuses(acme: Portal, heard: Hearing):
    (acme.folder / "acme.key").write_text("a-key-that-opens-nothing", encoding="utf-8")
    acme.parts.clock.pass_time(120)
    acme.work.mirror_what_is_due()
    assert names(heard) == ["key_refused"]


def test_equal_people_are_equal_and_without_the_key_nobody_is_found():
    seal = Seal(SECRET)
    assert mailbox_in_a_log(seal, "Ada@People.example") == mailbox_in_a_log(seal, "ada@people.example")
    assert mailbox_in_a_log(seal, ADA) != mailbox_in_a_log(Seal("another secret of 32 characters!"), ADA)
    assert not seal.hash("mailbox", ADA).startswith(mailbox_in_a_log(seal, ADA))


def test_somebody_from_elsewhere_has_another_hash(acme: Portal, heard: Hearing):
    for address in ("192.0.2.1", "192.0.2.77", "198.51.100.1"):
        with acme.browser() as client:
            client._transport.remote_addr = address
            Applicant(client).post(headers={"Sec-Fetch-Site": "cross-site"})
    one, same, other = (line["network"] for line in heard.of("forbidden"))
    assert one == same != other
