"""Opening pages, posts of other sites, tokens of other forms and invalid references change nothing."""

from urllib.parse import quote

from portal.background.outbox.states import OutboxState
from tests.operations.console.desk import Desk

JUNK = [
    "'; DROP TABLE deliveries;--",
    "<script>alert(1)</script>",
    "..%2f..%2f",
    "%",
    "\x00",
    "A" * 5_000,
    "ada@people.example",
]


def held(desk: Desk) -> str:
    """Return the reference of a held submission."""
    return desk.scene.apply()


def test_looking_changes_nothing(desk: Desk):
    reference = held(desk)
    before = desk.scene.overview(reference)
    with desk.browser() as client:
        for act in ("retry", "release"):
            answer = client.get(f"/submissions/{reference}/{act}")
            assert (answer.status_code, "POST" in answer.headers["Allow"]) == (405, True)
        assert client.get(f"/submissions/{reference}/discard").status_code == 200
        for address in ("/tenants/acme/wake", "/tenants/acme/check"):
            assert client.get(address).status_code == 405
    assert desk.scene.overview(reference) == before
    assert desk.log() == []
    assert desk.checked == []


LED = [
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site", "Origin": "http://other.127.0.0.1:8002"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:8003"},
]


def test_another_site_can_have_no_browser_press(desk: Desk):
    reference = held(desk)
    for headers in LED:
        answer = desk.press(f"/submissions/{reference}", f"/submissions/{reference}/retry", **headers)
        assert (answer.status_code, headers) == (403, headers)
    assert desk.log() == []


def test_the_browser_itself_says_that_it_is_the_desk(desk: Desk):
    reference = held(desk)
    said = {"Sec_Fetch_Site": "same-origin", "Origin": "http://127.0.0.1:8002"}
    assert desk.press(f"/submissions/{reference}", f"/submissions/{reference}/retry", **said).status_code == 303


def test_a_form_is_good_for_its_own_act_subject_and_time(desk: Desk):
    one, other = held(desk), desk.scene.apply("grace")
    page, act = f"/submissions/{one}", f"/submissions/{one}/retry"
    token = desk.token(page, act)
    with desk.browser() as client:
        for address, data in [
            (f"/submissions/{other}/retry", {"token": token}),
            (f"/submissions/{one}/discard", {"token": token}),
            ("/tenants/acme/wake", {"token": token}),
            (act, {}),
            (act, {"token": token + "x"}),
        ]:
            answer = client.post(address, data=data)
            assert (answer.status_code, address) == (400, address)
        desk.scene.clock.pass_time(desk.parts.settings.form_ttl + 1)
        assert client.post(act, data={"token": token}).status_code == 400
    assert desk.log() == []
    assert desk.scene.overview(one).state is OutboxState.DUE


def test_a_form_of_an_applicant_is_none_of_the_desk(desk: Desk):
    reference = held(desk)
    with desk.scene.browser() as client:
        page = client.get("/acme/jobs/job-1/apply").text
    token = page.partition('name="token" value="')[2].partition('"')[0]
    assert token
    with desk.browser() as client:
        assert client.post(f"/submissions/{reference}/retry", data={"token": token}).status_code == 400


def test_what_is_no_reference_is_found_nowhere_and_said_by_nobody(desk: Desk):
    with desk.browser() as client:
        for junk in JUNK:
            found = client.get("/submissions", params={"reference": junk})
            assert (found.status_code, junk) == (404, junk)
            assert "<script>alert" not in found.text
            for address in (f"/submissions/{quote(junk, safe='')}", f"/requests/{quote(junk, safe='')}/done"):
                assert client.get(address).status_code in {404, 405}
            wanted = dict.fromkeys(("state", "tenant", "kind", "after"), junk)
            assert client.get("/submissions", params=wanted).status_code == 200
            assert client.get("/log", params={"before": junk}).status_code == 200
            assert client.get(f"/tenants/{quote(junk, safe='')}").status_code == 404


def test_a_reference_of_another_kind_is_not_taken_for_a_submission(desk: Desk):
    reference = held(desk)
    with desk.browser() as client:
        assert client.get(f"/requests/{reference}/done").status_code == 404
        assert client.get(f"/submissions/{'A' * 20}").status_code == 404
        assert client.post(f"/submissions/{reference}/explode", data={}).status_code == 404
