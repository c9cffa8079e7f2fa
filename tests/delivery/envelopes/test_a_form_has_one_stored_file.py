"""A form has at most one stored file: another file replaces and deletes the previous one."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import sqlalchemy as sa

from portal.delivery.uploads import storing
from portal.delivery.uploads.claims import UploadGone
from portal.delivery.uploads.tables import uploads
from portal.platform.errors import StoreUnavailable
from tests.delivery.envelopes.desk import CV, Desk

FORM = "f" * 32
BETTER = b"A better curriculum vitae.\n" * 20


def kept(desk: Desk) -> list[str]:
    return sorted(desk.store.keys("acme/"))


def rows(desk: Desk) -> int:
    with desk.db.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(uploads)).scalar_one()


def find(desk: Desk, handle: str) -> storing.StoredUpload | None:
    return storing.find(desk.db, desk.seal, tenant="acme", form_id=FORM, handle=handle)


def test_another_file_replaces_the_first_one(desk: Desk):
    first = desk.keep(FORM)
    (before,) = kept(desk)
    second = desk.keep(FORM, BETTER)
    assert find(desk, first) is None
    assert find(desk, second) is not None
    assert len(kept(desk)) == 1
    assert kept(desk) != [before]
    assert rows(desk) == 1


def test_storing_the_same_file_again_keeps_the_first_copy(desk: Desk):
    first = desk.keep(FORM)
    before = kept(desk)
    assert desk.keep(FORM) == first
    assert (kept(desk), rows(desk)) == (before, 1)


def test_forms_do_not_change_each_others_files(desk: Desk):
    desk.keep(FORM)
    desk.keep("e" * 32, BETTER)
    assert len(kept(desk)) == 2


def test_a_submitted_file_stays_when_its_form_stores_another(desk: Desk):
    sent = desk.filled(FORM)
    reference = desk.send(sent)
    desk.keep(FORM, BETTER)
    assert len(kept(desk)) == 2
    assert desk.send(sent) == reference


def test_submitting_a_file_that_was_replaced_asks_for_the_file_again(desk: Desk):
    first = desk.filled(FORM)
    desk.keep(FORM, BETTER)
    with pytest.raises(UploadGone):
        desk.send(first)


def test_concurrent_posts_of_one_form_leave_one_file_and_each_finds_it(desk: Desk):
    with ThreadPoolExecutor(8) as posts:
        handles = list(posts.map(lambda _: desk.keep(FORM), range(8)))
    assert len(set(handles)) == 1
    assert (len(kept(desk)), rows(desk)) == (1, 1)


def test_concurrent_posts_of_different_files_leave_one_file(desk: Desk):
    with ThreadPoolExecutor(8) as posts:
        handles = list(posts.map(lambda n: desk.keep(FORM, CV + b"%d" % n), range(8)))
    (stands,) = [one for one in handles if find(desk, one)]
    assert desk.send(desk.filled(FORM, upload=stands))
    assert (len(kept(desk)), rows(desk)) == (1, 1)


def test_a_storage_that_cannot_delete_the_old_file_still_accepts_the_new_one(desk: Desk):
    desk.keep(FORM)
    stubborn = replace(desk, store=UndeletableStore(desk.store))
    second = stubborn.keep(FORM, BETTER)
    assert find(desk, second) is not None
    assert len(kept(desk)) == 2
    storing.delete_unclaimed(desk.db, desk.store, older_than=86_400, clock=desk.clock)
    assert len(kept(desk)) == 1
    assert find(desk, second) is not None


class UndeletableStore:
    """A store that deletes nothing."""

    def __init__(self, store: object) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def delete(self, key: str) -> None:  # noqa: ARG002  the protocol's
        raise StoreUnavailable("not now")
