"""Security events are one line each, in a separate stream, with people as keyed hashes."""

import re
from pathlib import Path

from portal.people.signin.codes import TRIES
from portal.platform.crypto.sealing import Seal, mailbox_in_a_log
from tests.builders import SECRET, Portal
from tests.platform.logs.log_reader import LogReader
from tests.site.account.candidate import ADA, Visitor, code_in, mailbox, open_acme
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.account.test_a_new_address_is_confirmed_before_it_is_sent import ask_to_add, post
from tests.site.apply.applicant import Applicant

HASH = re.compile(r"[0-9a-f]{16}")


def names(log_reader: LogReader) -> list[str]:
    return [line["event"] for line in log_reader.security]


def test_code_requests_sign_ins_and_sign_outs_are_logged(ada: Visitor, log_reader: LogReader):
    ada.sign_in()
    ada.post("/profile/sign-out", ada.get("/profile/applications"))
    assert names(log_reader) == ["code_asked", "session_begun", "session_ended"]
    assert {line["mailbox"] for line in log_reader.security} == {mailbox_in_a_log(Seal(SECRET), ADA)}
    assert all(HASH.fullmatch(line["network"]) and line["tenant"] == "acme" for line in log_reader.security)


def test_security_events_are_equal_on_each_database(tmp_path: Path, portal_url: str, log_reader: LogReader):
    there = open_acme(tmp_path / "portal", database_url=portal_url)
    her = Visitor(there)
    her.ask()
    her.enter("0000 0000")
    her.enter(code_in(mailbox(there)[-1]))
    her.post("/profile/sign-out", her.get("/profile/applications"))
    assert names(log_reader) == ["code_asked", "code_wrong", "session_begun", "session_ended"]
    there.parts.database.close()


def test_a_second_sign_in_logs_the_replaced_session(acme: Portal, ada: Visitor, log_reader: LogReader):
    ada.sign_in()
    Visitor(acme).sign_in()
    assert names(log_reader) == ["code_asked", "session_begun"] * 2 + ["session_replaced"]


def test_wrong_codes_and_exhausted_attempts_are_logged(ada: Visitor, log_reader: LogReader):
    ada.ask()
    for _ in range(TRIES + 1):
        ada.enter("0000 0000")
    assert names(log_reader) == ["code_asked"] + ["code_wrong"] * (TRIES - 1) + ["code_spent"] * 2
    assert {line["mailbox"] for line in log_reader.security} == {mailbox_in_a_log(Seal(SECRET), ADA)}


def test_an_expired_code_is_logged(acme: Portal, ada: Visitor, log_reader: LogReader):
    ada.ask()
    acme.parts.clock.pass_time(acme.parts.settings.code_ttl + 1)
    ada.enter(code_in(mailbox(acme)[-1]))
    assert names(log_reader) == ["code_asked", "code_expired"]


def test_a_reused_code_is_logged(acme: Portal, ada: Visitor, log_reader: LogReader):
    ada.ask()
    code, page, cookies = code_in(mailbox(acme)[-1]), ada.get("/profile/code"), dict(ada.client.cookies)
    ada.post("/profile/code", page, code=code)
    ada.client.cookies.update(cookies)
    ada.post("/profile/code", page, code=code)
    assert names(log_reader) == ["code_asked", "session_begun", "code_spent"]


def test_a_post_from_another_site_is_logged(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        assert Applicant(client).post(headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert names(log_reader) == ["forbidden"]


def test_requests_over_a_limit_are_logged_with_its_name(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        form = Applicant(client)
        while form.post(None).status_code != 429:
            pass
    (line,) = log_reader.security
    assert (line["event"], line["limit"]) == ("limited", "apply")


def test_a_rejected_file_is_logged_with_the_reason(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        Applicant(client).post(("cv.txt", b""))
        Applicant(client).post(("cv.exe", b"MZ\x90\x00" * 100))
    assert [(line["event"], line["reason"]) for line in log_reader.security] == [
        ("upload_refused", "empty"),
        ("upload_refused", "wrong_type"),
    ]


def test_forged_forms_and_forms_of_another_job_are_logged(acme: Portal, log_reader: LogReader):
    from tests.site.apply.conftest import vacancy

    acme.service.load("acme", [vacancy("job-2", "Fitter")])
    acme.parts.clock.pass_time(120)
    acme.work.mirror_what_is_due()
    with acme.browser() as client:
        here, there = Applicant(client), Applicant(client, "/acme/jobs/job-2/apply")
        here.post(hidden={**here.page.hidden, "token": "_" + here.page.hidden["token"]})
        here.post(hidden=there.page.hidden)
    assert [(line["event"], line["reason"]) for line in log_reader.security] == [
        ("form_refused", "forged"),
        ("form_refused", "anothers"),
    ]


def test_a_changed_email_address_of_a_profile_is_logged(acme: Portal, ada: Visitor, log_reader: LogReader):
    ada.sign_in()
    prove = ask_to_add(ada)
    acme.work.deliver_what_is_due()
    log_reader.lines.clear()
    post(ada, prove, code=code_in(mailbox(acme)[-1]))
    (line,) = log_reader.security
    assert (line["event"], line["mailbox"]) == ("address_changed", mailbox_in_a_log(Seal(SECRET), ADA))
    assert line["reference"] == log_reader.of("accepted")[0]["reference"]


def test_a_changed_name_is_not_logged_as_a_changed_address(acme: Portal, ada: Visitor, log_reader: LogReader):
    ada.sign_in()
    log_reader.lines.clear()
    confirm(ada, ada.form().press(firstName="Augusta"))
    assert names(log_reader) == []


def test_a_withdrawal_and_an_erasure_are_logged_once_each(acme: Portal, ada: Visitor, log_reader: LogReader):
    reference = Applicant(ada.client).receipt().rpartition("/")[2]
    ada.sign_in()
    log_reader.lines.clear()
    page = ada.get(f"/profile/applications/{reference}/withdraw")
    for _ in range(2):
        ada.post(f"/profile/applications/{reference}/withdraw", page)
    page = ada.get("/profile/erase")
    for _ in range(2):
        ada.post("/profile/erase", page)
    assert names(log_reader) == ["withdrawn", "erasure_asked"]


def test_an_api_key_rejected_by_the_tracking_service_is_logged(acme: Portal, log_reader: LogReader):
    (acme.folder / "acme.key").write_text("a-key-that-opens-nothing", encoding="utf-8")
    acme.parts.clock.pass_time(120)
    acme.work.mirror_what_is_due()
    # The service, which runs in this process too, logs the attempt; the portal logs that its key is not accepted.
    assert names(log_reader) == ["key_wrong", "key_refused"]


def test_equal_people_have_equal_hashes_that_depend_on_the_key():
    seal = Seal(SECRET)
    assert mailbox_in_a_log(seal, "Ada@People.example") == mailbox_in_a_log(seal, "ada@people.example")
    assert mailbox_in_a_log(seal, ADA) != mailbox_in_a_log(Seal("another secret of 32 characters!"), ADA)
    assert not seal.hash("mailbox", ADA).startswith(mailbox_in_a_log(seal, ADA))


def test_other_networks_have_other_hashes(acme: Portal, log_reader: LogReader):
    for address in ("192.0.2.1", "192.0.2.77", "198.51.100.1"):
        with acme.browser() as client:
            client._transport.remote_addr = address
            Applicant(client).post(headers={"Sec-Fetch-Site": "cross-site"})
    one, same, other = (line["network"] for line in log_reader.of("forbidden"))
    assert one == same != other
