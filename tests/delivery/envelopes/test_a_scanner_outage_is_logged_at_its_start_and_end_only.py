"""A worker logs an unavailable scanner once, and its recovery once, however often it tries."""

import logging

import psutil
import pytest

from portal.adapters.inspection.scanner import open_scanner
from portal.background.outbox.retry_policy import Policy
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes.scanning import Scanning
from portal.platform.errors import ScannerUnavailable
from portal.platform.logs import Part
from portal.platform.logs.outage_log import Outage
from tests.delivery.envelopes.desk import Desk
from tests.delivery.envelopes.test_each_file_is_scanned_once import NoSideEffects
from tests.operations.health.test_outages_of_storage_and_scanner_are_logged_twice import told
from tests.parts.clamd import running_clamd


def test_an_outage_of_the_scanner_is_logged_once_and_so_is_its_end(desk: Desk, caplog: pytest.LogCaptureFixture):
    outage = Outage(Part.SCANNER, desk.clock)
    with running_clamd() as clamd:
        scanner = open_scanner(clamd.address)
        assert scanner is not None
        handlers = {APPLICATION.name: NoSideEffects()}
        scanning = Scanning(desk.db, desk.store, scanner, handlers, Policy(), desk.clock, outage)
        for number in range(3):
            desk.send(desk.filled(f"{number:032x}", content=b"CV"), scan_required=True)
        with caplog.at_level(logging.INFO):
            psutil.Process(clamd.pid).suspend()
            psutil.Process(clamd.pid).kill()
            for _ in range(3):
                with pytest.raises(ScannerUnavailable) as met:
                    scanning.scan_held_files()
                logging.getLogger("portal.worker").error("%s", met.value)  # as the worker does after each attempt
                desk.clock.pass_time(1)
            assert told(caplog) == ["away scanner"]
    with running_clamd() as clamd:
        scanner = open_scanner(clamd.address)
        assert scanner is not None
        Scanning(desk.db, desk.store, scanner, handlers, Policy(), desk.clock, outage).scan_held_files()
    assert told(caplog) == ["away scanner", "recovered scanner"]
