"""A code works once, for its requester, for a limited time and five tries; fifty concurrent tries open one session."""

from concurrent.futures import ThreadPoolExecutor

from tests.people.signin.signin_scene import ADA, TTL, SignInScene


def wrong(code: str | None) -> str:
    return f"{(int(code or 0) + 1) % 10**8:08d}"


def test_the_correct_code_opens_a_session_for_its_address(scene: SignInScene):
    token = scene.enter("browser-1", scene.ask("browser-1"))
    assert token is not None
    session = scene.session(token)
    assert session is not None
    assert session.email == ADA


def test_a_code_works_once(scene: SignInScene):
    code = scene.ask("browser-1")
    assert scene.enter("browser-1", code)
    assert scene.enter("browser-1", code) is None


def test_a_code_works_only_in_the_browser_that_requested_it(scene: SignInScene):
    assert scene.enter("browser-2", scene.ask("browser-1")) is None


def test_a_code_of_one_tenant_is_invalid_at_another(scene: SignInScene):
    assert scene.enter("browser-1", scene.ask("browser-1"), tenant="globex") is None


def test_a_session_of_one_tenant_is_invalid_at_another(scene: SignInScene):
    token = scene.enter("browser-1", scene.ask("browser-1"))
    assert scene.session(token or "", tenant="globex") is None


def test_a_code_expires(scene: SignInScene):
    code = scene.ask("browser-1")
    scene.clock.pass_time(TTL)
    assert scene.enter("browser-1", code) is None


def test_a_code_works_just_before_it_expires(scene: SignInScene):
    code = scene.ask("browser-1")
    scene.clock.pass_time(TTL - 1)
    assert scene.enter("browser-1", code)


def test_after_five_wrong_codes_the_correct_one_is_rejected(scene: SignInScene):
    code = scene.ask("browser-1")
    for _ in range(5):
        assert scene.enter("browser-1", wrong(code)) is None
    assert scene.enter("browser-1", code) is None


def test_the_fifth_try_is_still_accepted(scene: SignInScene):
    code = scene.ask("browser-1")
    for _ in range(4):
        scene.enter("browser-1", wrong(code))
    assert scene.enter("browser-1", code)


def test_a_new_code_revokes_the_previous_one(scene: SignInScene):
    old = scene.ask("browser-1")
    new = scene.ask("browser-1")
    assert scene.enter("browser-1", old) is None
    assert scene.enter("browser-1", new)


def test_a_new_code_ends_the_previous_session(scene: SignInScene):
    first = scene.enter("browser-1", scene.ask("browser-1"))
    second = scene.enter("browser-2", scene.ask("browser-2"))
    assert scene.session(first or "") is None
    assert scene.session(second or "")


def test_fifty_concurrent_correct_codes_open_one_session(scene: SignInScene):
    code = scene.ask("browser-1")
    with ThreadPoolExecutor(50) as pool:
        opened = [one for one in pool.map(lambda _: scene.enter("browser-1", code), range(50)) if one]
    assert len(opened) == 1


def test_fifty_concurrent_guesses_count_as_five_tries(scene: SignInScene):
    code = scene.ask("browser-1")
    guesses = [*(wrong(code) for _ in range(49)), code]
    with ThreadPoolExecutor(50) as pool:
        list(pool.map(lambda guess: scene.enter("browser-1", guess), guesses[:49]))
    assert scene.enter("browser-1", code) is None


def test_an_address_without_a_record_gets_no_code(scene: SignInScene):
    assert scene.ask("browser-1", "nobody@people.example") is None
    assert scene.mails.sent[-1]["template"] == "no_record"
    for guess in ("", "00000000", "None"):
        assert scene.enter("browser-1", guess) is None


def test_a_request_that_waited_too_long_is_not_answered(scene: SignInScene):
    scene.ask("browser-1", deliver=False)
    scene.clock.pass_time(TTL)
    assert scene.deliver() is None
    assert scene.mails.sent == []


def test_of_several_queued_requests_only_the_latest_gets_a_code(scene: SignInScene):
    scene.ask("browser-1", deliver=False)
    code = scene.ask("browser-1")
    assert len(scene.mails.sent) == 1
    assert scene.enter("browser-1", code)
