"""The file storages on which the same tests run."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from portal.adapters.storage.opening import open_store
from portal.adapters.storage.store import Store

if TYPE_CHECKING:
    from tests.parts.radosgw import RunningRadosgw


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.xdist_group("radosgw"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Yield a folder, then a bucket of a real server that checks signatures."""
    if request.param == "folder":
        return open_store(f"file:{tmp_path / 'attachments'}", s3_endpoint=None)
    server: RunningRadosgw = request.getfixturevalue("s3")
    return open_store(f"s3://{server.bucket}", s3_endpoint=server.endpoint)
