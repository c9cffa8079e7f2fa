"""The link of an invitation fills in the address, does not contain it in plain text, and signs nobody in."""

import re

import sqlalchemy as sa

from portal.background.mails import queue as mail_queue
from portal.platform.database.db import metadata
from portal.site.account.signing_in import invitation_for
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, mailbox, text
from tests.site.apply.applicant import Page


def invite(acme: Portal, address: str = ADA) -> str:
    """Run `portal profile invite`; return the link in the email."""
    with acme.parts.database.write() as connection:
        mail_queue.send(
            connection,
            acme.parts.seal,
            tenant="acme",
            template="invitation",
            locale="en",
            recipient=address,
            facts={"to": invitation_for(acme.parts.seal, "acme", address)},
            now=acme.parts.clock.now(),
        )
    acme.work.deliver_what_is_due()
    letter = next(one for one in reversed(mailbox(acme)) if "/profile?to=" in text(one))
    (link,) = re.findall(r"http://\S+", text(letter))
    return link


def test_the_link_fills_in_the_address_and_nothing_else(acme: Portal, ada: Visitor):
    link = invite(acme)
    assert "people" not in link.partition("to=")[2]
    page = Page(ada.client.get(link))
    assert page.typed["email"] == ADA
    assert not ada.client.cookies
    assert ada.client.get("/acme/profile/edit").status_code == 303


def test_a_forged_link_fills_in_nothing(ada: Visitor):
    assert ada.get("/profile?to=gAAAAABforged").typed["email"] == ""
    assert ada.get("/profile?to=%00%ff").typed["email"] == ""


def test_the_link_cannot_decrypt_anything_in_the_database(acme: Portal, ada: Visitor):
    ada.sign_in()
    with acme.parts.database.read() as connection:
        sealed = [
            value
            for table in metadata.tables.values()
            for row in connection.execute(sa.select(table)).mappings()
            for name, value in row.items()
            if name.startswith("sealed") and value
        ]
    assert len(sealed) >= 2
    for one in sealed:
        assert Visitor(acme).get(f"/profile?to={one}").typed["email"] == ""


def test_an_invitation_of_another_company_fills_in_nothing(acme: Portal):
    acme.add_tenant("globex", "Globex")
    acme.parts.clock.pass_time(1)
    given = invite(acme).partition("to=")[2]
    assert Visitor(acme, "globex").get(f"/profile?to={given}").typed["email"] == ""
