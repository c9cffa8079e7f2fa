"""A code works once, for its requester, for a limited time and five tries; fifty concurrent tries open one session."""

from concurrent.futures import ThreadPoolExecutor

from tests.people.signin.desk import ADA, TTL, Desk


def wrong(code: str | None) -> str:
    return f"{(int(code or 0) + 1) % 10**8:08d}"


def test_the_correct_code_opens_a_session_for_its_address(desk: Desk):
    token = desk.enter("browser-1", desk.ask("browser-1"))
    assert token is not None
    session = desk.session(token)
    assert session is not None
    assert session.email == ADA


def test_a_code_works_once(desk: Desk):
    code = desk.ask("browser-1")
    assert desk.enter("browser-1", code)
    assert desk.enter("browser-1", code) is None


def test_a_code_works_only_in_the_browser_that_requested_it(desk: Desk):
    assert desk.enter("browser-2", desk.ask("browser-1")) is None


def test_a_code_of_one_tenant_is_invalid_at_another(desk: Desk):
    assert desk.enter("browser-1", desk.ask("browser-1"), tenant="globex") is None


def test_a_session_of_one_tenant_is_invalid_at_another(desk: Desk):
    token = desk.enter("browser-1", desk.ask("browser-1"))
    assert desk.session(token or "", tenant="globex") is None


def test_a_code_expires(desk: Desk):
    code = desk.ask("browser-1")
    desk.clock.pass_time(TTL)
    assert desk.enter("browser-1", code) is None


def test_a_code_works_just_before_it_expires(desk: Desk):
    code = desk.ask("browser-1")
    desk.clock.pass_time(TTL - 1)
    assert desk.enter("browser-1", code)


def test_after_five_wrong_codes_the_correct_one_is_rejected(desk: Desk):
    code = desk.ask("browser-1")
    for _ in range(5):
        assert desk.enter("browser-1", wrong(code)) is None
    assert desk.enter("browser-1", code) is None


def test_the_fifth_try_is_still_accepted(desk: Desk):
    code = desk.ask("browser-1")
    for _ in range(4):
        desk.enter("browser-1", wrong(code))
    assert desk.enter("browser-1", code)


def test_a_new_code_revokes_the_previous_one(desk: Desk):
    old = desk.ask("browser-1")
    new = desk.ask("browser-1")
    assert desk.enter("browser-1", old) is None
    assert desk.enter("browser-1", new)


def test_a_new_code_ends_the_previous_session(desk: Desk):
    first = desk.enter("browser-1", desk.ask("browser-1"))
    second = desk.enter("browser-2", desk.ask("browser-2"))
    assert desk.session(first or "") is None
    assert desk.session(second or "")


def test_fifty_concurrent_correct_codes_open_one_session(desk: Desk):
    code = desk.ask("browser-1")
    with ThreadPoolExecutor(50) as pool:
        opened = [one for one in pool.map(lambda _: desk.enter("browser-1", code), range(50)) if one]
    assert len(opened) == 1


def test_fifty_concurrent_guesses_count_as_five_tries(desk: Desk):
    code = desk.ask("browser-1")
    guesses = [*(wrong(code) for _ in range(49)), code]
    with ThreadPoolExecutor(50) as pool:
        list(pool.map(lambda guess: desk.enter("browser-1", guess), guesses[:49]))
    assert desk.enter("browser-1", code) is None


def test_an_address_without_a_record_gets_no_code(desk: Desk):
    assert desk.ask("browser-1", "nobody@people.example") is None
    assert desk.mails.sent[-1]["template"] == "no_record"
    for guess in ("", "00000000", "None"):
        assert desk.enter("browser-1", guess) is None


def test_a_request_that_waited_too_long_is_not_answered(desk: Desk):
    desk.ask("browser-1", deliver=False)
    desk.clock.pass_time(TTL)
    assert desk.deliver() is None
    assert desk.mails.sent == []


def test_of_several_queued_requests_only_the_latest_gets_a_code(desk: Desk):
    desk.ask("browser-1", deliver=False)
    code = desk.ask("browser-1")
    assert len(desk.mails.sent) == 1
    assert desk.enter("browser-1", code)
