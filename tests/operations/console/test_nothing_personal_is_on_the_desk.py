"""The console shows no names, no secrets and no texts of applicants."""

from datetime import timedelta

from portal.delivery.uploads import refusals
from portal.platform.errors import UploadReason
from tests.delivery.service import refused
from tests.operations.console.desk import Desk
from tests.parts.misbehaving import answer
from tests.site.apply.applicant import Applicant

NAMES = {"firstName": "Canaryfirst", "lastName": "Canarylast", "phoneNumber": "+49 30 901821", "city": "Canarytown"}
SECRETS = ("Canary", "canary@", "people.example", "901821", "cv.pdf", "a-key-of-the-service")


def test_no_page_names_anybody(desk: Desk):
    waiting = desk.scene.apply("canary", **NAMES)
    desk.scene.globex.mood = lambda _: refused(answer({}, status=422))
    dead = desk.scene.apply("canary", tenant="globex", **NAMES)
    for _ in range(4):
        desk.scene.deliver(after=86_400 * 2)
    key = next(iter(desk.parts.store.keys("acme/")), "")
    pages = "".join(
        desk.page(address)
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


def test_refused_files_are_counted_by_tenant_and_reason_alone(desk: Desk):
    with desk.scene.browser() as client:
        form = Applicant(client, "/acme/jobs/job-1/apply")
        for name in ("canary.exe", "canary2.exe"):
            posted = form.send(cv=(name, b"MZ" + b"\0" * 200))
            assert posted.status == 422
    said = desk.read("/refused")
    assert "acme wrong type 2" in said
    assert "canary" not in said


def test_refused_files_are_forgotten_after_four_hundred_days(desk: Desk):
    db, now = desk.parts.database, desk.parts.clock.now()
    for at in (now - refusals.KEPT, now - refusals.KEPT - timedelta(days=1)):
        refusals.count(db, tenant="acme", reason=UploadReason.EMPTY, now=at)
    desk.scene.work.run_housekeeping()
    (left,) = refusals.since(db, now - refusals.KEPT * 2)
    assert (left.count, left.last_day) == (1, (now - refusals.KEPT).date().isoformat())
