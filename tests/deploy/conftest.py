"""The product behind the proxy that deploy/ ships, started once for the tests of the group "behind-nginx".

Attacks are collected only if ATTACK_SECONDS sets how long each module has, as `make soak` does: they take minutes.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.deploy.behind_nginx import Proxied
    from tests.parts.podman import Podman
    from tests.parts.postgres import Postgres

collect_ignore = [] if "ATTACK_SECONDS" in os.environ else ["test_an_attacker_finds_nothing.py"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, postgres: "Postgres") -> "Iterator[Proxied]":
    """Yield the site once it is synced, indexed and responding."""
    from tests.deploy.behind_nginx import OWN, proxied
    from tests.journeys.two_servers_and_workers import JOBS

    with proxied(tmp_path_factory.mktemp("deploy"), postgres) as made, made.proxy.browser() as browser:
        made.fleet.until(lambda: f"{JOBS} open jobs" in browser.get(f"https://{OWN}/").text, "the list is there")
        yield made


@pytest.fixture(scope="session")
def containers(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Podman]":
    """Yield Podman without running containers, for tests that run alone."""
    from tests.parts.podman import podman

    with podman(tmp_path_factory.mktemp("podman")) as made:
        yield made
