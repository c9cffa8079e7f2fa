"""What a benchmark reports."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured ratio. `good` says on which side of the target it should lie; `detail` names both raw values."""

    name: str
    value: float
    target: float
    good: Literal["at least", "at most"]
    detail: str

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.value >= self.target if self.good == "at least" else self.value <= self.target
