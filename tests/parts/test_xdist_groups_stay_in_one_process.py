"""Tests of one `xdist_group` run in one test process, so that their expensive servers start only once."""

import os

import pytest


@pytest.mark.xdist_group("together")
@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process runs everything")
def test_the_scheduler_knows_the_group(request: pytest.FixtureRequest):
    # pytest-xdist passes the group to its scheduler as a suffix of the test's name; without it, groups would be split.
    assert request.node.nodeid.endswith("@together")
