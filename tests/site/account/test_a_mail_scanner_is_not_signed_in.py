"""A mail scanner that follows links and submits forms is not signed in, and the requester still can sign in."""

import re

from tests.builders import Portal
from tests.site.account.candidate import Visitor, code_in, mailbox
from tests.site.account.test_a_candidate_is_invited import invite
from tests.site.apply.applicant import Page


def test_a_scanner_that_requests_every_link_and_form_is_not_signed_in(acme: Portal, ada: Visitor):
    ada.ask()
    invite(acme)
    scanner = Visitor(acme)
    letters = mailbox(acme)
    links = [link for letter in letters for link in re.findall(r"http://[^\s\"<>]+", letter.as_string())]
    links += [
        link
        for letter in letters
        for link in re.findall(r"http://[^\s\"<>]+", str(letter.get_body(("plain",)).get_content()))
    ]
    assert links
    for link in links:
        scanner.client.head(link)
        opened = scanner.client.get(link)
        if "text/html" in opened.headers.get("content-type", ""):
            page = Page(opened)
            for _ in page.all("form"):
                scanner.client.post(link, files={k: (None, v) for k, v in page.hidden.items()} or {"x": (None, "y")})
        scanner.client.post(link)
    assert not any(name.startswith("session") for name in scanner.client.cookies)
    assert scanner.client.get("/acme/profile/edit").status_code == 303
    code = next(code_in(letter) for letter in letters if "code" in letter["Subject"])
    assert scanner.enter(code).status_code == 422
    assert ada.enter(code).status_code == 303
