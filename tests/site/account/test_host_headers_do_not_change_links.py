"""Links in emails and redirects use the settings, whatever Host and X-Forwarded-Host contain."""

import re

import pytest

from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, mailbox

POISON = [
    {"Host": "evil.example"},
    {"X-Forwarded-Host": "evil.example"},
    {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Forwarded": "host=evil.example"},
]


@pytest.mark.parametrize("headers", POISON, ids=", ".join)
def test_no_email_and_no_redirect_contains_another_host(acme: Portal, ada: Visitor, headers: dict[str, str]):
    page = ada.get("/profile")
    for address in (ADA, "nobody@people.example"):
        fields = {**page.hidden, "email": address}
        answer = ada.client.post("/acme/profile", files={k: (None, v) for k, v in fields.items()}, headers=headers)
        assert answer.status_code in {303, 400}
        assert "evil" not in answer.headers.get("location", "")
    acme.work.deliver_what_is_due()
    for letter in mailbox(acme):
        whole = letter.as_string()
        assert "evil" not in whole
        assert all(link.startswith("http://127.0.0.1:8000/") for link in re.findall(r"https?://\S+", whole))
