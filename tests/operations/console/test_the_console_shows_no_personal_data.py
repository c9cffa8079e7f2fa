"""The console shows no names, no secrets and no texts of applicants."""

from datetime import timedelta

from portal.delivery.uploads import refusal_counts
from portal.platform.errors import UploadReason
from tests.delivery.service import refused
from tests.operations.console.operator_console import OperatorConsole
from tests.parts.misbehaving import answer
from tests.site.apply.applicant import Applicant

NAMES = {"firstName": "Canaryfirst", "lastName": "Canarylast", "phoneNumber": "+49 30 901821", "city": "Canarytown"}
SECRETS = ("Canary", "canary@", "people.example", "901821", "cv.pdf", "a-key-of-the-service")


def test_no_page_shows_names(console: OperatorConsole):
    waiting = console.scene.apply("canary", **NAMES)
    console.scene.globex.mood = lambda _: refused(answer({}, status=422))
    dead = console.scene.apply("canary", tenant="globex", **NAMES)
    for _ in range(4):
        console.scene.deliver(after=86_400 * 2)
    key = next(iter(console.parts.store.keys("acme/")), "")
    pages = "".join(
        console.page(address)
        for address in (
            "/",
            "/tenants/acme",
            "/tenants/globex",
            "/submissions",
            f"/submissions/{waiting}",
            f"/submissions/{dead}",
            f"/submissions/{dead}/discard",
            "/requests",
            "/refused",
            "/log",
        )
    )
    assert waiting in pages
    for secret in (*SECRETS, *([key] if key else [])):
        assert secret not in pages, secret


def test_rejected_files_are_counted_by_tenant_and_reason_alone(console: OperatorConsole):
    with console.scene.browser() as client:
        form = Applicant(client, "/acme/jobs/job-1/apply")
        for name in ("canary.exe", "canary2.exe"):
            posted = form.send(cv=(name, b"MZ" + b"\0" * 200))
            assert posted.status == 422
    said = console.read("/refused")
    assert "acme wrong type 2" in said
    assert "canary" not in said


def test_counts_of_rejected_files_are_deleted_after_four_hundred_days(console: OperatorConsole):
    db, now = console.parts.database, console.parts.clock.now()
    for at in (now - refusal_counts.KEPT, now - refusal_counts.KEPT - timedelta(days=1)):
        refusal_counts.count(db, tenant="acme", reason=UploadReason.EMPTY, now=at)
    console.scene.work.run_housekeeping()
    (left,) = refusal_counts.since(db, now - refusal_counts.KEPT * 2)
    assert (left.count, left.last_day) == (1, (now - refusal_counts.KEPT).date().isoformat())
