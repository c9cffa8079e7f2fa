"""If two owners change a company's settings, the second is warned, keeps the entered values, and decides."""

from portal.tracker.hiring import company_settings
from tests.tracker.hiring.job_writing import hidden
from tests.tracker.hiring.site import HiringBrowser, HiringSite


def changed(browser: HiringBrowser, **fields: str) -> int:
    """Press Save on the form that is shown."""
    return browser.post("/settings", version=hidden(browser.page, "version"), **fields).status_code


def test_the_second_owner_is_warned_before_replacing_the_first_change(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    one, other = hiring.signed_in(), hiring.signed_in()
    one.get("/settings")
    other.get("/settings")
    assert changed(one, sender="Acme <jobs@acme.example>", retention_days="90") == 200
    assert changed(other, sender="", retention_days="30") == 409
    assert "Acme <jobs@acme.example>” and 90 days" in other.words
    assert 'value="30"' in other.page
    found = company_settings.of(hiring.office.database, hiring.company.id)
    assert (found.sender, found.retention_days) == ("Acme <jobs@acme.example>", 90)
    assert changed(other, sender="", retention_days="30") == 200
    assert company_settings.of(hiring.office.database, hiring.company.id).retention_days == 30
