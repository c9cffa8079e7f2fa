"""A value that is encrypted for a link cannot be used in place of a stored one."""

import pytest

from portal.platform.crypto.sealing import Seal, Unreadable

NEW, OLD = "a new secret, also 32 characters", "a secret for tests, 32 characters"


def test_a_value_encrypted_for_one_purpose_decrypts_for_that_purpose_alone():
    seal = Seal(OLD)
    link = seal.seal("ada@people.example", use="portal.invitation")
    assert seal.open(link, use="portal.invitation") == "ada@people.example"
    for other in ({}, {"use": "portal.undo"}):
        with pytest.raises(Unreadable):
            seal.open(link, **other)
    with pytest.raises(Unreadable):
        seal.open(seal.seal("kept"), use="portal.invitation")


@pytest.mark.parametrize("use", ["portal.seal", "portal.invitation"])
def test_values_of_a_former_key_are_decrypted_and_new_ones_use_the_new_key(use: str):
    before = Seal(OLD).seal("kept", use=use)
    rotated = Seal(NEW, [OLD])
    assert rotated.open(before, use=use) == "kept"
    assert Seal(NEW).open(rotated.seal("kept", use=use), use=use) == "kept"
    with pytest.raises(Unreadable):
        Seal(NEW).open(before, use=use)


def test_hashes_of_a_former_key_are_found_and_new_ones_use_the_new_key():
    before = Seal(OLD).hash("address", "acme", "ada@people.example")
    rotated = Seal(NEW, [OLD])
    assert rotated.hashes("address", "acme", "ada@people.example") == [
        Seal(NEW).hash("address", "acme", "ada@people.example"),
        before,
    ]
    assert rotated.hash("address", "acme", "ada@people.example") != before


@pytest.mark.parametrize("damaged", ["", "gAAAA", "é" * 40, "\ud800", "a" * 10_000])
def test_a_value_that_was_never_encrypted_is_reported_as_unreadable(damaged: str):
    with pytest.raises(Unreadable):
        Seal(OLD).open(damaged)
