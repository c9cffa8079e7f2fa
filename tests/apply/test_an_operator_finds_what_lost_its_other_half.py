"""`portal storage check`: rubbish is what can be proven to be it; what was delivered is the service's, and stays."""

import io

from portal.uploads import orphans
from portal.uploads.tables import asked, uploads
from tests.apply.applicant import Applicant
from tests.apply.direct import Sender, keys, rows
from tests.builders import Portal


def found(portal: Portal, *, delete: bool = False) -> orphans.Orphans:
    return orphans.find(portal.parts.database, portal.parts.store, delete=delete)


def test_nothing_is_amiss_where_nothing_is(acme: Portal, ada: Applicant):
    ada.receipt()
    assert found(acme) == orphans.Orphans(0, 0, (), 0, 1)


def test_what_was_delivered_and_forgotten_stays(acme: Portal, ada: Applicant):
    ada.receipt()
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(7 * 86_400 + 1)
    acme.work.keep_house()
    assert rows(acme, uploads) == []
    assert found(acme, delete=True) == orphans.Orphans(0, 0, (), 1, 1)
    assert len(keys(acme, "acme/")) == 1


def test_an_unknown_object_of_the_quarantine_goes_and_a_known_one_stays(acme: Portal, ada: Applicant):
    sender = Sender(ada)
    sender.ask()
    sender.send()
    key = "_incoming/nobody-asked-for-this"
    acme.parts.store.put(key, io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv")
    assert found(acme).unknown == 1
    assert found(acme, delete=True).unknown == 1
    assert found(acme).unknown == 0
    assert keys(acme, "_incoming/") == [row.key for row in rows(acme, asked)]
    assert sender.check().status_code == 200


def test_a_form_whose_file_is_gone_asks_for_it_again(acme: Portal, ada: Applicant):
    said = Sender(ada).bring()
    (stored,) = rows(acme, uploads)
    acme.parts.store.delete(stored.key)
    assert (found(acme).without_file, found(acme, delete=True).without_file, found(acme).without_file) == (1, 1, 0)
    page = ada.send(cv=None, upload=said["upload"])
    assert "choose it again" in page.summary["cv"]


def test_a_delivery_whose_file_is_gone_is_named_and_left_alone(acme: Portal, ada: Applicant):
    reference = ada.receipt().rpartition("/")[2]
    (stored,) = rows(acme, uploads)
    acme.parts.store.delete(stored.key)
    assert found(acme, delete=True).lost == (reference,)
    assert len(rows(acme, uploads)) == 1
