"""An uploaded file counts after one check of exactly its bytes; repeated requests get the same result."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from portal.adapters.inspection import inspection
from portal.delivery.uploads.direct import CHECKING
from portal.delivery.uploads.tables import asked, uploads
from tests.builders import Portal
from tests.site.apply.applicant import CV
from tests.site.apply.direct import Sender, keys, rows

PICTURE = b"\x89PNG\r\n\x1a\n" + b"\0" * 200


def test_the_type_is_determined_by_content_and_errors_are_reported(kept: Portal, sender: Sender):
    before = keys(kept, "")
    sender.ask("cv.pdf", len(PICTURE))
    sender.send(PICTURE)
    answers = [sender.check(), sender.check()]
    assert [answer.status_code for answer in answers] == [422, 422]
    assert answers[0].json() == answers[1].json()
    form = sender.ada.send(("cv.pdf", PICTURE))
    assert answers[0].json()["detail"] == form.summary["cv"]
    assert keys(kept, "") == before
    assert rows(kept, uploads) == []


def test_an_incomplete_upload_can_continue_until_its_deadline(kept: Portal, sender: Sender):
    sender.ask()
    answers = [sender.check(), sender.check()]
    assert [answer.status_code for answer in answers] == [409, 409]
    said = {answer.json()["detail"] for answer in answers}
    assert said == {"This file did not arrive completely. Choose it again."}
    sender.send()
    assert sender.check().status_code == 200
    sender.ask()
    kept.parts.clock.pass_time(600)
    assert sender.check().status_code == 410


def test_an_upload_that_arrived_in_time_can_be_used_later(kept: Portal, sender: Sender):
    sender.ask()
    sender.send()
    kept.parts.clock.pass_time(3_600)
    assert sender.check().status_code == 200


def test_two_checks_of_one_file_give_the_same_result(kept: Portal, sender: Sender):
    sender.ask()
    sender.send()
    first, second = sender.check(), sender.check()
    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert len(rows(kept, uploads)) == 1


def test_a_replaced_file_is_not_restored(kept: Portal, sender: Sender):
    sender.bring("first.txt")
    first = dict(sender.asked)
    sender.bring("second.txt", CV[1] * 2)
    assert sender.check(upload=first["upload"]).status_code == 410


@pytest.mark.parametrize("kept", ["folder"], indirect=True)
def test_concurrent_checks_get_one_result(kept: Portal, sender: Sender):
    sender.ask()
    sender.send()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: sender.check(), range(8)))
    told = {answer.json()["upload"] for answer in answers if answer.status_code == 200}
    assert len(told) == 1
    assert {answer.status_code for answer in answers} <= {200, 503}
    assert len(rows(kept, uploads)) == 1


def test_a_running_check_is_never_taken_over():
    limits, helper = inspection.LIMITS, inspection._helper
    assert limits.timeout + 2 * (2 * limits.timeout) <= inspection.LONGEST  # its turn, and the time of two files
    assert limits.timeout + 2 * helper.max_wait_seconds <= inspection.LONGEST
    assert CHECKING.total_seconds() > inspection.LONGEST


@pytest.mark.parametrize("kept", ["folder"], indirect=True)
def test_a_check_is_repeated_if_its_process_vanished(kept: Portal, sender: Sender):
    sender.ask()
    sender.send()
    now = kept.parts.clock.now()
    with kept.parts.database.write() as connection:
        connection.execute(asked.update().values(checking_until=now + CHECKING))
    answer = sender.check()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert answer.json()["detail"] == "This file is still being checked. Please wait a moment."
    kept.parts.clock.pass_time(CHECKING.total_seconds())
    assert sender.check().status_code == 200


def test_bytes_that_arrive_after_the_check_are_not_used(kept: Portal, sender: Sender):
    """The checked content is what is copied, because its ETag is a condition."""
    sender.ask()
    sender.send()
    store, real = kept.parts.store, kept.parts.store.copy

    def late(source: str, key: str, **how: str) -> str:
        sender.send(CV[1].upper())
        return real(source, key, **how)

    object.__setattr__(store, "copy", late)
    answer = sender.check()
    object.__setattr__(store, "copy", real)
    assert answer.status_code == 409
    assert [row for row in rows(kept, uploads) if row.stored_at] == []
    assert sender.check().status_code == 200
    (stored,) = [row for row in rows(kept, uploads) if row.stored_at]
    with store.open(stored.key) as file:
        assert file.read() == CV[1].upper()


def test_the_storage_key_of_the_accepted_file_is_never_sent_to_the_browser(kept: Portal, sender: Sender):
    said = sender.bring()
    (stored,) = rows(kept, uploads)
    random = stored.key.partition("/")[2]
    assert random not in str(sender.asked)
    assert random not in str(said)
    assert not re.search(random, sender.ada.send(cv=None, upload=said["upload"], firstName="").text)
    assert stored.key not in str(sender.asked["fields"])
