"""promtool accepts the alert rules, and they fire for values on the right side of each threshold."""

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.operations.health.figures import ALERTS
from tests.parts.missing import program

HOW = "apt-get install prometheus"
T = 'tenant="acme"'


@dataclass
class Case:
    """series: → normal values, then values that raise the alert, in promtool's notation; one value every 15 s.

    within: the latest time of the alert, from the first bad value.
    """

    alert: str
    series: dict[str, tuple[str, str]] = field(default_factory=dict)
    within: str = "2m"


def part(name: str) -> dict[str, tuple[str, str]]:
    return {f'portal_part_up{{part="{name}"}}': ("1x40", "0x40")}


CASES = [
    Case("PortalServerAway", {'up{job="careers-portal"}': ("1x40", "0x40")}),
    Case("PortalServerAway", {'up{job="careers-tracker"}': ("1x40", "0x40")}),
    Case("PortalDatabaseAway", part("database")),
    Case("PortalStoreAway", part("store")),
    Case("PortalInspectionAway", part("inspection")),
    Case("PortalNoTenant", part("tenants")),
    Case("PortalLimitsAway", part("limits")),
    Case("PortalScannerAway", part("scanner")),
    Case("PortalMailAway", part("mail")),
    Case("PortalCodesLate", {"portal_codes_late": ("0x40", "1x40")}),
    Case("PortalNoWorker", {"portal_workers": ("1x40", "0x40")}),
    Case("PortalWorkerMissing", {"portal_workers_missing": ("0x40", "1x40"), "portal_workers": ("1x40", "1x40")}),
    # If none is left, PortalNoWorker is raised instead.
    Case("PortalWorkerMissing", {"portal_workers_missing": ("2x40", "2x40"), "portal_workers": ("0x40", "1x40")}),
    Case(
        "PortalWorkersFull",
        {
            # Of eight threads, two are reserved for companies without a delivery in progress.
            'portal_worker_busy{work="deliveries",worker="a"}': ("4x100", "6x100"),
            'portal_worker_busy{work="deliveries",worker="b"}': ("6x100", "5x100"),
            'portal_worker_busy_most{work="deliveries",worker="a"}': ("8x100", "8x100"),
            'portal_worker_busy_most{work="deliveries",worker="b"}': ("8x100", "8x100"),
        },
        within="16m",
    ),
    # A peak of ten minutes raises no alert.
    Case(
        "PortalWorkersFull",
        {
            'portal_worker_busy{work="passes",worker="a"}': ("0x40 8x60", "8x100"),
            'portal_worker_busy_most{work="passes",worker="a"}': ("8x100", "8x100"),
        },
        within="20m",
    ),
    Case("PortalQueueBehind", {f'portal_queue_due_seconds{{kind="letter",{T}}}': ("0+15x20 0x60", "0+15x60")}, "6m"),
    # Right after an outage of a service everything is overdue, and is being sent.
    Case("PortalQueueBehind", {f'portal_queue_due_seconds{{kind="letter",{T}}}': ("0x20 3600x20", "3600x40")}, "6m"),
    Case("PortalBackupLate", {"portal_backup_age_seconds": ("180000x40", "180001x40")}),
    Case("PortalDiskNearlyFull", {'portal_uploads_paused{place="database"}': ("0x40", "1x40")}),
    Case("PortalTenantFileWrong", {f"portal_tenant_file_wrong{{{T}}}": ("0x40", "1x40")}),
    Case("PortalServiceFails", {f"portal_breaker_open{{{T}}}": ("0x40", "1x40")}),
    Case("PortalServiceFails", {f"portal_mirror_failures{{{T}}}": ("1x40", "2x40")}),
    Case("PortalCertificateEnds", {f"portal_service_certificate_days{{{T}}}": ("14x40", "13.9x40")}),
    Case("PortalDeliveryLate", {f'portal_queue_oldest_seconds{{kind="letter",{T}}}': ("3600x40", "3601x40")}),
    Case("PortalDead", {'portal_submissions{state="dead"}': ("3x80", "3x20 4x60")}, within="10m"),
    Case("PortalDead", {'portal_record_changes{state="dead"}': ("0x80", "0x20 1x60")}, within="10m"),
    Case("PortalFailedExpire", {f"portal_failed_expiring{{{T}}}": ("0x360", "1x360")}, within="62m"),
    Case("PortalHeldForALook", {f'portal_submissions_waiting{{for="operator",{T}}}': ("0x40", "1x40")}),
    Case("PortalProgramsApply", {f'portal_suspicions_total{{{T},reason="fast"}}': ("0+1x40", "0+2x40")}, "10m"),
    Case("PortalDataOld", {f"portal_mirror_age_seconds{{{T}}}": ("1800x40", "1801x40")}),
    Case("PortalDataOld", {f"portal_index_age_seconds{{{T}}}": ("1800x40", "1801x40")}),
    Case("PortalAlertsLate", {f"portal_alerts_late_seconds{{{T}}}": ("3600x40", "3601x40")}),
    Case("PortalAnswerOwed", {f"portal_requests_overdue{{{T}}}": ("0x40", "1x40")}),
    Case("PortalAnswerOwed", {f"portal_requests_oldest_seconds{{{T}}}": ("1728000x40", "1728001x40")}),
    Case(
        "PortalErrors",
        {
            'portal_http_seconds_count{status="2xx"}': ("0+95x40", "0+94x40"),
            'portal_http_seconds_count{status="5xx"}': ("0+5x40", "0+6x40"),
        },
    ),
    Case(
        "PortalSlow",
        {
            'portal_http_seconds_bucket{le="3.0",method="GET"}': ("0+96x60", "0+90x60"),
            'portal_http_seconds_bucket{le="10.0",method="GET"}': ("0+100x60", "0+100x60"),
            'portal_http_seconds_bucket{le="+Inf",method="GET"}': ("0+100x60", "0+100x60"),
        },
    ),
    Case("PortalCrowded", {"portal_http_waiting": ("32x40", "33x40")}),
    Case(
        "PortalCrowded",
        {"portal_database_connections": ("64x40", "65x40"), "portal_database_connections_most": ("80x40", "80x40")},
    ),
    Case("TrackerDatabaseAway", {'tracker_part_up{part="database"}': ("1x40", "0x40")}),
    Case("TrackerKeysRefused", {"tracker_keys_refused_total": ("0+0.9x40", "0+2x40")}, "5m"),
    Case("TrackerRateLimited", {"tracker_rate_limited_total": ("0+4x40", "0+6x40")}, "5m"),
]


def asked(folder: Path, case: Case, *, bad: bool) -> subprocess.CompletedProcess[str]:
    series = [{"series": name, "values": values[bad]} for name, values in case.series.items()]
    expected = [{"labels": "{}", "value": 1}] if bad else []
    firing = f'count(ALERTS{{alertname="{case.alert}",alertstate="firing"}})'
    test = {
        "interval": "15s",
        "input_series": series,
        "promql_expr_test": [{"expr": firing, "eval_time": case.within, "exp_samples": expected}],
    }
    told = {"rule_files": [str(ALERTS)], "evaluation_interval": "15s", "tests": [test]}
    file = folder / "test.json"  # JSON is valid YAML
    file.write_text(json.dumps(told), encoding="utf-8")
    command = [program("promtool", how=HOW), "test", "rules", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.alert)
def test_each_alert_is_raised_in_time_and_not_below_its_threshold(tmp_path: Path, case: Case):
    raised, quiet = asked(tmp_path, case, bad=True), asked(tmp_path, case, bad=False)
    assert raised.returncode == 0, raised.stdout + raised.stderr
    assert quiet.returncode == 0, quiet.stdout + quiet.stderr


def test_every_alert_has_a_test_case():
    assert {case.alert for case in CASES} == set(re.findall(r"- alert: (\w+)", ALERTS.read_text(encoding="utf-8")))


def test_promtool_accepts_the_rules():
    command = [program("promtool", how=HOW), "check", "rules", str(ALERTS)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert checked.returncode == 0, checked.stdout + checked.stderr
