"""A value that is encrypted for a link cannot be used in place of a stored one."""

import pytest

from portal.platform.crypto.sealing import Seal, Unreadable

NEW, OLD = "a new secret, also 32 characters", "a secret for tests, 32 characters"


def test_what_is_sealed_for_one_use_opens_for_it_and_for_no_other():
    seal = Seal(OLD)
    link = seal.seal("ada@people.example", use="portal.invitation")
    assert seal.open(link, use="portal.invitation") == "ada@people.example"
    for other in ({}, {"use": "portal.undo"}):
        with pytest.raises(Unreadable):
            seal.open(link, **other)
    with pytest.raises(Unreadable):
        seal.open(seal.seal("kept"), use="portal.invitation")


@pytest.mark.parametrize("use", ["portal.seal", "portal.invitation"])
def test_a_new_key_opens_what_a_former_one_sealed_and_seals_anew(use: str):
    before = Seal(OLD).seal("kept", use=use)
    rotated = Seal(NEW, [OLD])
    assert rotated.open(before, use=use) == "kept"
    assert Seal(NEW).open(rotated.seal("kept", use=use), use=use) == "kept"
    with pytest.raises(Unreadable):
        Seal(NEW).open(before, use=use)


def test_what_a_former_key_hashed_is_found_and_what_is_new_is_hashed_by_the_new_one():
    before = Seal(OLD).hash("address", "acme", "ada@people.example")
    rotated = Seal(NEW, [OLD])
    assert rotated.hashes("address", "acme", "ada@people.example") == [
        Seal(NEW).hash("address", "acme", "ada@people.example"),
        before,
    ]
    assert rotated.hash("address", "acme", "ada@people.example") != before


@pytest.mark.parametrize("damaged", ["", "gAAAA", "é" * 40, "\ud800", "a" * 10_000])
def test_what_was_never_sealed_is_unreadable_and_no_fault(damaged: str):
    with pytest.raises(Unreadable):
        Seal(OLD).open(damaged)
