"""What is heavy to start is started once a run: tests of one `xdist_group` go to one test process."""

import os

import pytest


@pytest.mark.xdist_group("together")
@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process runs everything")
def test_a_group_is_known_to_who_distributes(request: pytest.FixtureRequest):
    # pytest-xdist tells its scheduler by the end of the name; a pytest that does not let it leaves groups torn apart.
    assert request.node.nodeid.endswith("@together")
