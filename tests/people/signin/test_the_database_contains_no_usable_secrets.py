"""The database contains no codes, tokens or addresses in clear."""

import sqlalchemy as sa

from portal.people.signin.tables import code_requests, sessions
from portal.platform.crypto.sealing import Seal
from tests.people.signin.desk import ADA, Desk


def everything(desk: Desk) -> str:
    with desk.db.read() as connection:
        return repr([connection.execute(sa.select(table)).all() for table in (code_requests, sessions)])


def test_codes_tokens_and_addresses_are_hashed_or_encrypted(desk: Desk):
    code = desk.ask("browser-token-1")
    stored = everything(desk)
    token = desk.enter("browser-token-1", code)
    stored += everything(desk)
    for secret in (code, "browser-token-1", token, ADA, "people.example"):
        assert secret
        assert secret not in stored


def test_a_former_key_still_decrypts_what_it_encrypted(desk: Desk):
    code = desk.ask("browser-1")
    desk.seal = Seal("a new secret, also 32 characters", ["a secret for tests, 32 characters"])
    with desk.db.read() as connection:
        sealed = connection.execute(sa.select(code_requests.c.sealed_address)).scalar_one()
    assert desk.seal.open(sealed) == ADA
    assert code


def test_expired_rows_are_deleted(desk: Desk):
    from portal.people.signin.sessions import forget_expired

    desk.enter("browser-1", desk.ask("browser-1"))
    desk.clock.pass_time(86_400)
    forget_expired(desk.db, ttl=1_800, clock=desk.clock)
    assert everything(desk) == "[[], []]"
