"""Before the first sync of a company's candidates, nobody is told that they have no profile."""

from pathlib import Path

from tests import builders
from tests.site.account.candidate import ADA, Visitor, candidate, code_in, mailbox, text
from tests.site.account.conftest import FILE
from tests.site.apply.conftest import vacancy


def test_after_the_first_sync_a_candidate_gets_a_code_and_a_stranger_a_reply(tmp_path: Path):
    made = builders.portal(tmp_path / "portal")
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [vacancy("job-1", "Welder"), candidate()])
    ada, stranger = Visitor(made), Visitor(made)
    pages = [visitor.ask(address) for visitor, address in ((ada, ADA), (stranger, "nobody@people.example"))]
    assert [page.status_code for page in pages] == [303, 303]
    assert mailbox(made) == []
    made.work.index_what_is_due()
    made.parts.clock.pass_time(60)
    made.work.deliver_what_is_due()
    by_recipient = {str(message["To"]): message for message in mailbox(made)}
    assert ada.enter(code_in(by_recipient[ADA])).status_code == 303
    assert "There is no such profile" in text(by_recipient["nobody@people.example"])
    made.parts.database.close()
