"""Logs contain no candidate ids and no API keys."""

import logging

import pytest

from tests.adapters.tracker_client.calling import CANDIDATE, KEY, client, update
from tests.parts.misbehaving import answer, misbehaving


def test_logs_contain_no_ids_and_no_keys(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), misbehaving(answer({"stages": []})) as server, client(server.url) as upstream:
        update(upstream)
        upstream.stages()
    for secret in (CANDIDATE, KEY, "José", "ref-2"):
        assert secret not in caplog.text
