"""When an alert's next mail is due: in the morning in the company's time zone, when people read it.

The minute depends on the alert's id, so that a company's mails are not all due at the same moment.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

HOUR = 7
_SPREAD = 90
"""Minutes after HOUR over which the mails of a morning are spread."""


class Every(StrEnum):
    """How often to send mails about new jobs."""

    DAY = "day"
    WEEK = "week"


def following(every: Every, alert: str, zone: str, now: datetime) -> datetime:
    """Return the next morning, or that of the same day next week; in UTC. alert: its id, hexadecimal."""
    days = 1 if every is Every.DAY else 7
    there = now.astimezone(ZoneInfo(zone))
    morning = there.replace(hour=HOUR, minute=0, second=0, microsecond=0, fold=0) + timedelta(days=days)
    minutes = timedelta(minutes=int(alert[:6], 16) % _SPREAD)
    return morning.astimezone(now.tzinfo) + minutes
