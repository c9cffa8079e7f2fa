"""Double click, reload, back button, a connection that broke after COMMIT: one submission, one receipt."""

import threading
from dataclasses import replace

import pytest
import sqlalchemy as sa

from portal.background.outbox.tables import outbox
from portal.delivery.envelopes.repeats import DifferentContent
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.uploads.claims import UploadGone
from tests.delivery.envelopes.desk import Desk

FORM = "0123456789abcdef0123456789abcdef"


def count(desk: Desk, table: sa.Table) -> int:
    with desk.db.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def test_the_same_form_again_gives_the_same_reference(desk: Desk):
    application = desk.filled(FORM)
    first = desk.send(application)
    assert desk.send(application) == first
    again = replace(application, upload=desk.keep(FORM))
    assert desk.send(again) == first
    assert count(desk, deliveries) == 1


def test_the_same_form_with_other_content_is_a_conflict(desk: Desk):
    reference = desk.send(desk.filled(FORM))
    with pytest.raises(DifferentContent) as caught:
        desk.send(desk.filled(FORM, first_name="Josefa"))
    assert caught.value.reference == reference
    with pytest.raises(DifferentContent):
        desk.send(desk.filled(FORM, content=b"another CV\n"))
    assert count(desk, deliveries) == 1


def test_twenty_concurrent_posts_are_one_submission(desk: Desk):
    applications = [desk.filled(FORM) for _ in range(20)]
    references: list[str] = []
    ready = threading.Barrier(20)

    def post(application) -> None:
        ready.wait()
        references.append(desk.send(application))

    threads = [threading.Thread(target=post, args=(application,)) for application in applications]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(references) == 20
    assert len(set(references)) == 1
    assert count(desk, deliveries) == 1
    with desk.db.read() as connection:
        kinds = list(connection.execute(sa.select(outbox.c.kind)).scalars())
    assert sorted(kinds) == ["application", "letter"]


def test_a_cv_of_another_form_or_tenant_cannot_be_used(desk: Desk):
    other = desk.keep("f" * 32)
    with pytest.raises(UploadGone):
        desk.send(desk.filled(FORM, upload=other))
    foreign = desk.keep(FORM, tenant="globex")
    with pytest.raises(UploadGone):
        desk.send(desk.filled(FORM, upload=foreign))
    assert count(desk, deliveries) == 0
