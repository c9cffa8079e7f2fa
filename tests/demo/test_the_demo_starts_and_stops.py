"""`portal demo`: one command starts everything, Ctrl-C ends everything, a second start keeps the data."""

import shutil
import signal
import subprocess
from pathlib import Path

import httpx
import psutil
import pytest

from tests.parts.demo import RunningDemo, running_demo
from tests.parts.process import two_free_ports

pytestmark = [pytest.mark.xdist_group("demo"), pytest.mark.verify]


def test_ctrl_c_or_a_kill_ends_all_processes_and_a_second_start_keeps_the_data(tmp_path: Path):
    with running_demo(tmp_path / "data") as demo:
        everyone = demo.everyone()
        assert len(everyone) >= 4
        secret = (demo.data / "secret-key").read_text()
        key = demo.key("acme")
        page = httpx.get(f"{demo.portal}/acme/", trust_env=False, timeout=60)
        assert page.status_code == 200
        assert httpx.get(f"{demo.portal}/readyz", trust_env=False, timeout=60).status_code == 200
        demo.process.send_signal(signal.SIGINT)
        assert demo.process.wait(120) == 0
        assert "Ready" in demo.log.read_text()
        assert psutil.wait_procs(everyone, timeout=30)[1] == []
    with running_demo(tmp_path / "data") as again:
        assert again.key("acme") == key
        assert (again.data / "secret-key").read_text() == secret
        assert "Loading" not in again.log.read_text().split("Stopped.")[1]
        assert httpx.get(f"{again.portal}/acme/", trust_env=False, timeout=60).status_code == 200
        everyone = again.everyone()
        again.process.kill()
        assert psutil.wait_procs(everyone, timeout=60)[1] == [], "a killed demo leaves no process that holds its ports"


def test_secrets_are_readable_by_their_owner_alone(demo: RunningDemo):
    for path in [demo.data / "secret-key", demo.data / "keys" / "acme", demo.data / "keys" / "globex"]:
        assert path.stat().st_mode & 0o077 == 0


def test_a_port_in_use_is_reported_in_one_line(tmp_path: Path):
    import socket

    portal = shutil.which("portal") or str(Path(__import__("sys").executable).parent / "portal")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [portal, "demo", "--port", str(port), "--data", str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(f"portal: port {port} is in use")
    assert done.stderr.count("\n") == 1


def test_a_second_demo_in_the_same_folder_is_rejected(demo: RunningDemo):
    before = (demo.data / "tenants" / "acme.toml").read_text()
    portal = shutil.which("portal") or str(Path(__import__("sys").executable).parent / "portal")
    argv = [portal, "demo", "--port", str(two_free_ports()), "--data", str(demo.data)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"portal: another demo uses the folder {demo.data}")
    assert (demo.data / "tenants" / "acme.toml").read_text() == before
