"""When an alert's next mail is due: in the morning of the company's time zone, where people read it.

Minutes are spread by the alert's id, so that a company's readers are not all written to at the same moment.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

HOUR = 7
_SPREAD = 90
"""Minutes after the hour, within which the mails of a morning are due."""


class Every(StrEnum):
    """How often somebody wants to hear of new jobs."""

    DAY = "day"
    WEEK = "week"


def following(every: Every, alert: str, zone: str, now: datetime) -> datetime:
    """The next morning, or that of the same day of the next week; in UTC. alert: its id, hexadecimal."""
    days = 1 if every is Every.DAY else 7
    there = now.astimezone(ZoneInfo(zone))
    morning = there.replace(hour=HOUR, minute=0, second=0, microsecond=0, fold=0) + timedelta(days=days)
    minutes = timedelta(minutes=int(alert[:6], 16) % _SPREAD)
    return morning.astimezone(now.tzinfo) + minutes
