"""A ticket permits one file of the announced size and place, for this form, within ten minutes."""

import pytest

from portal.adapters.storage.opening import open_store
from portal.delivery.uploads.tables import asked, uploads
from tests.builders import Portal
from tests.site.apply.applicant import CV, Applicant
from tests.site.apply.conftest import LIMIT
from tests.site.apply.direct import Sender, keys, rows

S3 = pytest.param("s3", marks=pytest.mark.xdist_group("radosgw"))
ONLY_S3 = pytest.mark.parametrize("kept", [S3], indirect=True)
ONLY_FOLDER = pytest.mark.parametrize("kept", ["folder"], indirect=True)


def text(size: int) -> bytes:
    return (b"Ada Lovelace, notes. " * (size // 20 + 1))[:size]


def test_a_file_of_the_limit_is_accepted_and_one_more_byte_is_not(sender: Sender):
    assert sender.bring("cv.txt", text(LIMIT))["size"] == "20 kB"
    refused = sender.ask("cv.txt", LIMIT + 1)
    assert (refused.status_code, refused.headers["content-type"]) == (413, "application/problem+json")
    assert "the limit" in refused.json()["detail"]


@pytest.mark.parametrize("more", [-1, 1])
def test_the_file_has_the_announced_size(kept: Portal, sender: Sender, more: int):
    before = keys(kept, "_incoming/")
    sender.ask(size=1_000)
    assert sender.send(text(1_000 + more)).status_code >= 400
    assert keys(kept, "_incoming/") == before
    assert sender.send(text(1_000)).status_code == 204


@ONLY_FOLDER
def test_a_file_of_another_size_is_reported_as_such_and_not_as_too_large(kept: Portal, sender: Sender):
    sender.ask(size=1_000)
    more, less = sender.send(text(2_000)), sender.send(text(500))
    assert (more.status_code, less.status_code) == (422, 409)
    assert more.json()["detail"] == "The file that arrived is not the one that was expected. Choose your file again."
    assert less.json()["detail"] == "This file did not arrive completely. Choose it again."
    large = sender.send(text(LIMIT + 2_000))
    assert (large.status_code, "The limit" in large.json()["detail"]) == (413, True)


@ONLY_FOLDER
@pytest.mark.parametrize("where", ["before", "after"])
@pytest.mark.parametrize("beside", ["many", "long"])
def test_excess_data_beside_the_file_is_not_attributed_to_the_file(
    kept: Portal, sender: Sender, where: str, beside: str
):
    sender.ask()
    much = {f"f{n}": "x" for n in range(3_000)} if beside == "many" else {"note": "x" * 3_000_000}
    own = {"upload": sender.asked["fields"]["upload"]}
    file = [("file", ("cv", CV[1], "application/octet-stream"))]
    fields = [(name, (None, value)) for name, value in (own | much).items()]
    first, *rest = fields
    body = [first, *file, *rest] if where == "after" else [*fields, *file]
    answer = sender.ada.client.post("/acme/uploads/direct/file", files=body)
    assert answer.status_code == 413
    assert answer.json()["detail"] == "The body is larger than this address accepts. Send less data."
    assert keys(kept, "_incoming/") == []


@ONLY_FOLDER
def test_a_hundred_parts_are_accepted_and_one_more_is_not(kept: Portal, sender: Sender):
    sender.ask()
    assert sender.send(**{f"f{n}": "x" for n in range(98)}).status_code == 204
    assert sender.send(**{f"f{n}": "x" for n in range(99)}).status_code == 413


def test_an_announcement_without_a_size_gets_an_error_with_a_remedy(kept: Portal, sender: Sender):
    refused = sender.ada.client.post("/acme/uploads/direct", data={"token": sender.ada.page.hidden["token"]})
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    assert refused.json()["detail"] == "Give the size of the file in bytes in the size field."
    assert rows(kept, asked) == []


def test_an_empty_file_is_reported_as_empty(sender: Sender):
    refused = sender.ask(size=0)
    assert (refused.status_code, "empty" in refused.json()["detail"]) == (422, True)


@pytest.mark.parametrize("size", ["", "-1", "1e3", "²", "9" * 13])
def test_a_size_must_be_a_number(sender: Sender, size: str):
    assert sender.ask(size=size).status_code == 422


@ONLY_S3
@pytest.mark.parametrize(
    "changed",
    [
        {"Content-Type": "text/html"},
        {"key": "acme/an-attachment-of-somebody"},
        {"x-amz-signature": "0" * 64},
        {"policy": "e30="},
        {"acl": "public-read"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_the_bucket_accepts_nothing_else(kept: Portal, sender: Sender, changed: dict[str, str]):
    before = keys(kept, "")
    sender.ask()
    assert sender.send(**changed).status_code in {400, 403}
    assert keys(kept, "") == before
    assert sender.send().status_code == 204


@ONLY_S3
def test_the_bucket_rejects_a_late_upload(kept: Portal, sender: Sender):
    post = kept.parts.store.form_post("_incoming/too-late", least=1, most=100, seconds=-1)
    assert post
    sender.asked = {"url": post.url, "fields": post.fields}
    assert sender.send(b"too late").status_code == 403
    assert "_incoming/too-late" not in keys(kept, "_incoming/")


@ONLY_S3
def test_the_ticket_does_not_permit_reading(kept: Portal, sender: Sender):
    import httpx

    sender.ask()
    sender.send()
    address = f"{sender.asked['url'].rstrip('/')}/{sender.asked['fields']['key']}"
    assert httpx.get(address).status_code == 403
    assert httpx.get(address, params=sender.asked["fields"]).status_code in {400, 403}


@ONLY_FOLDER
def test_the_portal_rejects_a_late_upload_in_place_of_the_bucket(kept: Portal, sender: Sender):
    sender.ask()
    kept.parts.clock.pass_time(599)
    assert sender.send().status_code == 204
    kept.parts.clock.pass_time(1)
    assert sender.send().status_code == 410


@ONLY_FOLDER
@pytest.mark.parametrize("ticket", ["", "forged", "WyJhY21lIl0.x"])
def test_a_forged_ticket_is_rejected(kept: Portal, sender: Sender, ticket: str):
    sender.ask()
    assert sender.send(upload=ticket).status_code == 410
    assert keys(kept, "_incoming/") == []
    assert sender.check(upload=ticket).status_code == 410


@ONLY_FOLDER
def test_a_used_ticket_is_rejected(kept: Portal, sender: Sender):
    sender.bring()
    assert sender.send().status_code == 410
    assert keys(kept, "_incoming/") == []


@ONLY_FOLDER
def test_the_ticket_contains_no_information(kept: Portal, sender: Sender):
    sender.ask("Ada Lovelace secret.txt")
    (row,) = rows(kept, asked)
    ticket = sender.asked["upload"]
    import base64

    said = base64.urlsafe_b64decode(ticket.split(".")[0] + "==").decode()
    assert row.key not in said
    assert "Ada" not in said
    assert "Ada" not in row.sealed
    with kept.browser() as client:
        somebody = Sender(Applicant(client), asked=sender.asked)
        assert somebody.check().status_code == 410


@ONLY_FOLDER
def test_a_ticket_is_for_one_posting_and_one_company(kept: Portal, sender: Sender):
    kept.add_tenant("globex", "Globex")
    kept.service.load(
        "globex", [__import__("tests.site.apply.conftest", fromlist=["vacancy"]).vacancy("job-9", "Pilot")]
    )
    kept.parts.clock.pass_time(120)
    kept.work.mirror_what_is_due()
    sender.ask()
    sender.send()
    with kept.browser() as client:
        other = Sender(Applicant(client, "/acme/jobs/job-2/apply"), asked=sender.asked)
        assert other.check().status_code == 410
        elsewhere = Applicant(client, "/globex/jobs/job-9/apply").page.hidden["token"]
        assert sender.check(token=elsewhere).status_code == 410
        fields = {"token": elsewhere, "upload": sender.asked["upload"]}
        assert client.post("/globex/uploads/checked", data=fields).status_code == 410
    assert sender.check().status_code == 200


@ONLY_FOLDER
def test_an_expired_or_invalid_form_gets_an_error(kept: Portal, sender: Sender):
    assert sender.ask(token="forged").status_code == 410
    kept.parts.clock.pass_time(86_400)
    assert sender.ask().status_code == 201
    kept.parts.clock.pass_time(1)
    answer = sender.ask()
    assert answer.status_code == 410
    assert "open for a long time" in answer.json()["detail"]


@ONLY_FOLDER
@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}])
def test_another_site_cannot_upload(kept: Portal, sender: Sender, headers: dict[str, str]):
    sender.ask()
    sender.ada.client.headers.update(headers)
    assert (sender.ask().status_code, sender.send().status_code, sender.check().status_code) == (403, 403, 403)
    assert keys(kept, "_incoming/") == []


@ONLY_FOLDER
def test_a_form_has_at_most_ten_uploads_in_progress(kept: Portal, sender: Sender):
    for _ in range(10):
        assert sender.ask().status_code == 201
    answer = sender.ask()
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "600")
    said = "Too many files were chosen for this form at once. Try again in 10 minutes."
    assert answer.json()["detail"] == said
    kept.parts.clock.pass_time(600)
    assert sender.ask().status_code == 201


@ONLY_FOLDER
def test_a_network_may_request_a_hundred_tickets_a_minute(kept: Portal, sender: Sender):
    for _ in range(100):
        sender.ask(size=0)
    answer = sender.ask()
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) <= 60
    kept.parts.clock.pass_time(61)
    assert sender.ask().status_code == 201


@ONLY_FOLDER
def test_no_ticket_is_issued_while_a_disk_is_nearly_full(kept: Portal, sender: Sender):
    from portal.delivery.uploads.disk_space import Space

    sender.ask()
    kept.parts.disks = type(kept.parts.disks)({"attachments": kept.folder}, lambda _: Space(10**12, 0))
    assert sender.ask().status_code == 503
    answer = sender.send()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "900")
    assert keys(kept, "_incoming/") == []


@ONLY_S3
def test_without_browser_access_to_the_bucket_uploads_go_through_the_portal(kept: Portal, sender: Sender):
    told = kept.parts.settings
    kept.parts.store._store = open_store(told.attachments, s3_endpoint=told.s3_endpoint, s3_public="none")
    assert sender.ask().json()["url"] == "/acme/uploads/direct/file"
    assert sender.send().status_code == 204
    assert sender.check().status_code == 200
    (stored,) = rows(kept, uploads)
    with kept.parts.store.open(stored.key) as file:
        assert file.read() == CV[1]
