"""Case, composed letters and the script of a domain do not make an address different."""

import pytest

from portal.delivery.record_changes.model import ProfileEntry, Record, addresses_changed, new_addresses
from portal.platform.crypto.sealing import Seal, address_hash, folded, mailbox_hash

SEAL = Seal("a secret for tests, 32 characters")
SAME = [
    ("Ada@People.Example", "ada@people.example"),
    (" ada@people.example ", "ada@people.example"),
    ("ada@bücher.example", "ada@xn--bcher-kva.example"),
    ("jose\u0301@people.example", "jos\u00e9@people.example"),
]

OTHERS = [
    ("anna@strasse.example", "anna@straße.example"),
    ("anna@swiss.example", "anna@swiß.example"),
    ("anna.strauss@mail.example", "anna.strauß@mail.example"),
    ("sam@mail.example", "ſam@mail.example"),
    ("nikos@γιωργος.example", "nikos@γιωργοσ.example"),
    ("office@mail.example", "oﬃce@mail.example"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_these_spellings_are_the_same_address(one: str, other: str):
    assert address_hash(SEAL, "acme", one) == address_hash(SEAL, "acme", other)


@pytest.mark.parametrize(("victims", "attackers"), OTHERS)
def test_an_address_that_only_looks_similar_is_different(victims: str, attackers: str):
    assert address_hash(SEAL, "acme", victims) != address_hash(SEAL, "acme", attackers)
    assert mailbox_hash(SEAL, victims) != mailbox_hash(SEAL, attackers)
    before, after = (
        Record("Anna", "S", emails=(ProfileEntry(one, "work", is_primary=True),)) for one in (victims, attackers)
    )
    assert new_addresses(before, after) == [attackers]
    assert addresses_changed(before, after)


def test_another_tenant_or_key_has_another_hash():
    assert address_hash(SEAL, "acme", "a@b.example") != address_hash(SEAL, "globex", "a@b.example")
    assert address_hash(SEAL, "acme", "a@b.example") != address_hash(Seal("x" * 32), "acme", "a@b.example")


@pytest.mark.parametrize("odd", ["", "@", "no address", "a@", "a@..", "a@-b-.example", "a@" + "x" * 300])
def test_an_invalid_address_causes_no_error(odd: str):
    assert isinstance(folded(odd), str)
