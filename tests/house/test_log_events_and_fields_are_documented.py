"""An undocumented log event or field fails here."""

from pathlib import Path

from portal.platform.logs import EventName, Part, SecurityEvent

MONITOR = (Path(__file__).parents[2] / "docs" / "operating" / "monitor.md").read_text(encoding="utf-8")
FIELDS = "time level event tenant reference request seconds kind attempt part reason count error message logger"
MORE = "stream mailbox network limit method path route status bytes leftOut"


def test_every_event_and_security_event_is_documented():
    missing = [one.value for one in (*EventName, *SecurityEvent) if f"| `{one.value}` |" not in MONITOR]
    assert not missing


def test_every_part_and_field_is_documented():
    named = [*(one.value for one in Part), *FIELDS.split(), *MORE.split()]
    assert not [name for name in named if f"`{name}`" not in MONITOR]
