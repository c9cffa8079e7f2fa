"""An Idempotency-Key of the JSON API applies to one applicant, so others can use the same key."""

STRANGER = "stranger@people.example"


def test_a_stranger_with_the_same_key_does_not_block_an_applicant(front_end_on_each):
    theirs = front_end_on_each.sent(key="k-1", email=STRANGER)
    mine = front_end_on_each.sent(key="k-1")
    assert mine != theirs
    assert front_end_on_each.sent(key="k-1") == mine
    for email in (STRANGER, "ada@people.example", "ADA@people.example"):
        assert front_end_on_each.send(key="k-1", email=email, firstName="Grace").status_code == 409
