"""The location data is loaded while the server already serves, and not again by a search."""

import os
import subprocess
import sys
from pathlib import Path

SERVER = """
import sys, threading
read = []
sys.addaudithook(lambda event, told: read.append(str(told[0])) if event == "open" else None)
from portal.app import production_app
from portal.services import open_database
from portal.platform.config.settings import Settings
database = open_database(Settings.from_env())
database.upgrade()
database.close()
production_app()
for thread in threading.enumerate():
    if thread.name == "preload":
        thread.join(120)
first = sorted(name.rpartition("/")[2] for name in read if "/portal/jobs/" in name and not name.endswith(".pyc"))
read.clear()
from portal.jobs.places.place_lookup import guessed, meanings
for text in ("Hambrug", "10115 Berlin", "Bayern", "Lyon FR", "remote", "Frankfurt a.M."):
    meanings(text, ["DE"]) or guessed(text, ["DE"])
later = [name for name in read if "/portal/jobs/" in name and not name.endswith((".pyc", ".py"))]
print(*[name for name in first if not name.endswith(".py")], "|", *later)
"""


def test_location_data_is_loaded_after_the_start_and_before_the_first_search(tmp_path: Path):
    environment = {
        **os.environ,
        "PORTAL_SECRET_KEY": "k" * 32,
        "PORTAL_DATABASE_URL": f"sqlite:///{tmp_path}/portal.db",
        "PORTAL_TENANTS": str(tmp_path),
        "PORTAL_ATTACHMENTS": f"file:{tmp_path}/attachments",
        "PORTAL_MAIL": f"file:{tmp_path}/mail",
    }
    done = subprocess.run(
        [sys.executable, "-c", SERVER], env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    before, _, later = done.stdout.partition("|")
    wanted = {"places.tsv.gz", "shown.tsv.gz", "postcodes.tsv.gz", "regions.tsv.gz", "region_names.txt"}
    assert wanted | {"countries.tsv.gz", "concepts.toml"} <= set(before.split())
    assert later.strip() == ""
