"""The database contains no codes, tokens or addresses in clear."""

import sqlalchemy as sa

from portal.people.signin.tables import code_requests, sessions
from portal.platform.crypto.sealing import Seal
from tests.people.signin.signin_scene import ADA, SignInScene


def everything(scene: SignInScene) -> str:
    with scene.db.read() as connection:
        return repr([connection.execute(sa.select(table)).all() for table in (code_requests, sessions)])


def test_codes_tokens_and_addresses_are_hashed_or_encrypted(scene: SignInScene):
    code = scene.ask("browser-token-1")
    stored = everything(scene)
    token = scene.enter("browser-token-1", code)
    stored += everything(scene)
    for secret in (code, "browser-token-1", token, ADA, "people.example"):
        assert secret
        assert secret not in stored


def test_a_former_key_still_decrypts_what_it_encrypted(scene: SignInScene):
    code = scene.ask("browser-1")
    scene.seal = Seal("a new secret, also 32 characters", ["a secret for tests, 32 characters"])
    with scene.db.read() as connection:
        sealed = connection.execute(sa.select(code_requests.c.sealed_address)).scalar_one()
    assert scene.seal.open(sealed) == ADA
    assert code


def test_expired_rows_are_deleted(scene: SignInScene):
    from portal.people.signin.sessions import forget_expired

    scene.enter("browser-1", scene.ask("browser-1"))
    scene.clock.pass_time(86_400)
    forget_expired(scene.db, ttl=1_800, clock=scene.clock)
    assert everything(scene) == "[[], []]"
