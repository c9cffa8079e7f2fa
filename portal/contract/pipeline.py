"""§2.8 and the response of §4.9: pipeline stages as they are read."""

from typing import Annotated

from portal.contract.model import ExampleValue, Read, ReadList


class StageLabel(Read):
    """A label of a stage."""

    id: str | None = None
    name: str | None = None
    color_hex: str | None = None
    order: float | None = None


class PipelineStage(Read):
    """§2.8."""

    id: str
    type: Annotated[str, ExampleValue("speculative")] | None = None
    template_type: Annotated[str, ExampleValue("DEFAULT_SPECULATIVE")] | None = None
    template_id: str | None = None
    count_for_analytics: bool | None = None
    labels: ReadList[StageLabel] | None = None
    order: float | None = None
    name: str | None = None
    color_hex: str | None = None


class PipelineStages(Read):
    """§4.9."""

    stages: ReadList[PipelineStage]
