"""The link of an invitation fills in the address, shows it in no address line, and signs nobody in."""

import re

from portal.letters import queue as letters
from portal.sealing import Seal
from tests.apply.applicant import Page
from tests.builders import SECRET, Portal
from tests.profile.candidate import ADA, Visitor, mailbox, text


def invite(acme: Portal, address: str = ADA) -> str:
    """What `portal profile invite` queues; the link in the letter."""
    with acme.parts.database.write() as connection:
        letters.send(
            connection,
            tenant="acme",
            template="invitation",
            locale="en",
            recipient=address,
            facts={"to": Seal(SECRET).seal(address)},
            now=acme.parts.clock.now(),
        )
    acme.work.deliver_what_is_due()
    letter = next(one for one in reversed(mailbox(acme)) if "/profile?to=" in text(one))
    (link,) = re.findall(r"http://\S+", text(letter))
    return link


def test_the_link_fills_in_the_address_and_no_more(acme: Portal, ada: Visitor):
    link = invite(acme)
    assert "people" not in link.partition("to=")[2]
    page = Page(ada.client.get(link))
    assert page.typed["email"] == ADA
    assert not ada.client.cookies
    assert ada.client.get("/acme/profile/edit").status_code == 303


def test_a_forged_link_fills_in_nothing(ada: Visitor):
    assert ada.get("/profile?to=gAAAAABforged").typed["email"] == ""
    assert ada.get("/profile?to=%00%ff").typed["email"] == ""
