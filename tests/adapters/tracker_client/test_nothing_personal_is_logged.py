"""Someone who reads the logs of a server finds no candidate's id in them and no key."""

import logging

import pytest

from tests.adapters.tracker_client.calling import CANDIDATE, KEY, client, update
from tests.parts.misbehaving import answer, misbehaving


def test_no_id_and_no_key_in_any_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), misbehaving(answer({"stages": []})) as server, client(server.url) as upstream:
        update(upstream)
        upstream.stages()
    for secret in (CANDIDATE, KEY, "José", "ref-2"):
        assert secret not in caplog.text
