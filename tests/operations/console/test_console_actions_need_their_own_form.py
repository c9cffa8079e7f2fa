"""Opening pages, posts of other sites, tokens of other forms and invalid references change nothing."""

from urllib.parse import quote

from portal.background.outbox.states import OutboxState
from tests.operations.console.operator_console import OperatorConsole

JUNK = [
    "'; DROP TABLE deliveries;--",
    "<script>alert(1)</script>",
    "..%2f..%2f",
    "%",
    "\x00",
    "A" * 5_000,
    "ada@people.example",
]


def held(console: OperatorConsole) -> str:
    """Return the reference of a held submission."""
    return console.scene.apply()


def test_opening_pages_changes_nothing(console: OperatorConsole):
    reference = held(console)
    before = console.scene.overview(reference)
    with console.browser() as client:
        for act in ("retry", "release"):
            answer = client.get(f"/submissions/{reference}/{act}")
            assert (answer.status_code, "POST" in answer.headers["Allow"]) == (405, True)
        assert client.get(f"/submissions/{reference}/discard").status_code == 200
        for address in ("/tenants/acme/wake", "/tenants/acme/check"):
            assert client.get(address).status_code == 405
    assert console.scene.overview(reference) == before
    assert console.log() == []
    assert console.checked == []


LED = [
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site", "Origin": "http://other.127.0.0.1:8002"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:8003"},
]


def test_other_sites_cannot_submit_forms(console: OperatorConsole):
    reference = held(console)
    for headers in LED:
        answer = console.press(f"/submissions/{reference}", f"/submissions/{reference}/retry", **headers)
        assert (answer.status_code, headers) == (403, headers)
    assert console.log() == []


def test_posts_need_sec_fetch_site_of_the_console(console: OperatorConsole):
    reference = held(console)
    said = {"Sec_Fetch_Site": "same-origin", "Origin": "http://127.0.0.1:8002"}
    assert console.press(f"/submissions/{reference}", f"/submissions/{reference}/retry", **said).status_code == 303


def test_a_form_token_is_valid_only_for_its_action_row_and_time(console: OperatorConsole):
    one, other = held(console), console.scene.apply("grace")
    page, act = f"/submissions/{one}", f"/submissions/{one}/retry"
    token = console.token(page, act)
    with console.browser() as client:
        for address, data in [
            (f"/submissions/{other}/retry", {"token": token}),
            (f"/submissions/{one}/discard", {"token": token}),
            ("/tenants/acme/wake", {"token": token}),
            (act, {}),
            (act, {"token": token + "x"}),
        ]:
            answer = client.post(address, data=data)
            assert (answer.status_code, address) == (400, address)
        console.scene.clock.pass_time(console.parts.settings.form_ttl + 1)
        assert client.post(act, data={"token": token}).status_code == 400
    assert console.log() == []
    assert console.scene.overview(one).state is OutboxState.DUE


def test_form_tokens_of_the_site_are_invalid_at_the_console(console: OperatorConsole):
    reference = held(console)
    with console.scene.browser() as client:
        page = client.get("/acme/jobs/job-1/apply").text
    token = page.partition('name="token" value="')[2].partition('"')[0]
    assert token
    with console.browser() as client:
        assert client.post(f"/submissions/{reference}/retry", data={"token": token}).status_code == 400


def test_invalid_references_are_not_found_and_not_repeated(console: OperatorConsole):
    with console.browser() as client:
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


def test_references_of_other_kinds_are_not_taken_for_applications(console: OperatorConsole):
    reference = held(console)
    with console.browser() as client:
        assert client.get(f"/requests/{reference}/done").status_code == 404
        assert client.get(f"/submissions/{'A' * 20}").status_code == 404
        assert client.post(f"/submissions/{reference}/explode", data={}).status_code == 404
