"""A service killed during its work still has every application that it confirmed."""

import sys
import threading
from pathlib import Path

import httpx
import psutil

from portal.platform.clock import SystemClock
from tests.parts.process import free_port, running
from tests.tracker.office import opened, submission


def is_up(address: str) -> bool:
    try:
        return httpx.get(f"{address}/healthz", trust_env=False).is_success
    except httpx.HTTPError:
        return False


def apply_until_it_is_gone(address: str, vacancy: str, worker: int, acknowledged: list[str]) -> None:
    with httpx.Client(base_url=address, trust_env=False) as client:
        for number in range(10_000):
            email = f"p{worker}-{number}@people.example"
            try:
                answer = client.post(f"/acme/vacancy-portal/jobs/{vacancy}", json=submission(email=email))
            except httpx.HTTPError:
                return
            if answer.status_code == 201:
                acknowledged.append(email)


def test_a_killed_service_loses_no_confirmed_application(tracker_url: str, tmp_path: Path):
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with opened(tracker_url, SystemClock()) as office:
        vacancy = office.add_vacancy()
        acknowledged: list[str] = []

        serve = [sys.executable, "-m", "portal.cli", "tracker", "serve", "--port", str(port)]
        environment = {"TRACKER_DATABASE_URL": tracker_url}
        with running(serve, log=tmp_path / "log", ready=lambda: is_up(address), env=environment) as process:
            workers = [
                threading.Thread(target=apply_until_it_is_gone, args=(address, vacancy, number, acknowledged))
                for number in range(4)
            ]
            for worker in workers:
                worker.start()
            while len(acknowledged) < 40 and any(worker.is_alive() for worker in workers):
                workers[0].join(0.01)
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
            for worker in workers:
                worker.join()
        kept = {entry["email"] for person in office.candidates() for entry in person["emails"]["emails"]}
        assert len(acknowledged) >= 40
        assert set(acknowledged) <= kept
        assert len(office.applications(vacancy)) == len(kept)
