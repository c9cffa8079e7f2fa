"""Limits ignore dots and tags of large mail providers; reader hashes only equate certain spellings."""

import pytest

from portal.platform.crypto.sealing import Seal, mailbox_hash, mailbox_hashes, reader_hashes

SEAL = Seal("a secret for tests, 32 characters")
ONE_READER = [
    ("ada.lovelace@gmail.com", "A.d.a.Lovelace+jobs@googlemail.com"),
    ("ada@outlook.com", "Ada+jobs@outlook.com"),
    ("ada@hotmail.com", "ada+jobs@hotmail.com"),
    ("ada@live.com", "ada+a+b@live.com"),
    ("ada@icloud.com", "ada+jobs@me.com"),
    ("ada@me.com", "ada@mac.com"),
    ("ada@fastmail.com", "ada+jobs@fastmail.com"),
    ("ada@fastmail.com", "jobs@ada.fastmail.com"),
    ("ada.lovelace@proton.me", "ada-lovelace+jobs@protonmail.com"),
    ("ada_lovelace@pm.me", "adalovelace@proton.me"),
]
COUNTED_TOGETHER = [
    ("ada-one@yahoo.com", "ada-two@yahoo.com"),
    ("ada@yahoo.com", "ada-two@yahoo.com"),
    ("ada+one@people.example", "ada+two@people.example"),
    ("ada@people.example", "ada+two@people.example"),
]
TWO = [
    ("ada.lovelace@outlook.com", "adalovelace@outlook.com"),
    ("ada@outlook.com", "ada@hotmail.com"),
    ("ada@live.com", "ada@hotmail.com"),
    ("ada@fastmail.com", "ada@fastmail.fm"),
    ("ada@yahoo.com", "ada@ymail.com"),
    ("ada.lovelace@yahoo.com", "adalovelace@yahoo.com"),
    ("ada-one@gmail.com", "ada@gmail.com"),
    ("ada.lovelace@people.example", "adalovelace@people.example"),
    ("ada-one@people.example", "ada-two@people.example"),
    ("jobs@ada.people.example", "ada@people.example"),
    ("ada@mail.gmail.com", "ada@gmail.com"),
    ("+one@people.example", "+two@people.example"),
]


@pytest.mark.parametrize(("one", "other"), ONE_READER)
def test_spellings_of_one_mailbox_have_the_same_hashes(one: str, other: str):
    assert mailbox_hash(SEAL, one) == mailbox_hash(SEAL, other)
    assert reader_hashes(SEAL, one) == reader_hashes(SEAL, other)


@pytest.mark.parametrize(("one", "other"), COUNTED_TOGETHER)
def test_addresses_that_may_be_one_mailbox_share_limits_but_no_access(one: str, other: str):
    assert mailbox_hash(SEAL, one) == mailbox_hash(SEAL, other)
    assert reader_hashes(SEAL, one) != reader_hashes(SEAL, other)


@pytest.mark.parametrize(("one", "other"), TWO)
def test_addresses_of_different_people_have_different_hashes(one: str, other: str):
    assert mailbox_hash(SEAL, one) != mailbox_hash(SEAL, other)
    assert reader_hashes(SEAL, one) != reader_hashes(SEAL, other)


def test_hashes_of_a_former_key_are_found():
    rotated = Seal("a new secret, also 32 characters", ["a secret for tests, 32 characters"])
    assert mailbox_hash(SEAL, "ada@gmail.com") in mailbox_hashes(rotated, "a.da@gmail.com")
    assert reader_hashes(SEAL, "ada@gmail.com")[0] in reader_hashes(rotated, "a.da@gmail.com")


@pytest.mark.parametrize("odd", ["", "@", "+@gmail.com", "...@gmail.com", "a@", "@fastmail.com", "a@.fastmail.com"])
def test_malformed_addresses_raise_no_error(odd: str):
    assert mailbox_hash(SEAL, odd)
