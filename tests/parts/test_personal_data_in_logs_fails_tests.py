"""The test run's log check finds forbidden data in either form of a line, and reports nothing else."""

import logging

import pytest

from portal.platform.logs import EventName, event
from tests.parts.leaks import WITNESS, leaks_in


@pytest.mark.parametrize(
    "told",
    [
        "a letter to ada@people.example",
        "code 12345678 is wrong",
        "Lovelace",
        "canary-candidate-id-0123456789 is there",
        "record aB3defghijklmnopqrstuvwxyz-_2345 is there",
        "trk_0123456789ab_key",
        "acme/Abcdefghijklmnopqrstuvwxyz012345",
        "GET /acme/alerts/x?key=abc",
        "+49301234567",
    ],
)
def test_personal_data_in_a_line_is_found(told: str):
    logging.getLogger("portal.test").warning("so: %s", told)
    assert WITNESS.take()


def test_personal_data_beyond_the_line_limit_is_found():
    event(EventName.ACCEPTED, tenant="Ada@people.example")
    assert WITNESS.take()


@pytest.mark.parametrize(
    "told",
    [
        '{"time": "2026-11-22T15:45:12.762Z", "event": "delivered", "reference": "X6VW55T9TK58E26GGWNQ"}',
        "answered path=/acme/pictures/ee6dadc27a8b741e4012ed5aa8fac815 bytes=10485760",
        "NotTheService: the answer is longer than 20000000 bytes",
        "2026-11-22T15:45:12.762Z info answered path=/acme/jobs/job-1 request=7035226298b0b3e3 bytes=1855",
    ],
)
def test_other_lines_are_accepted(told: str):
    assert leaks_in(told) == []
