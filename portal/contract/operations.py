"""§4 and §5: the ten operations."""

from dataclasses import dataclass

from portal.contract import bounds
from portal.contract.applications import Application, VacancyApplications
from portal.contract.bodies import CandidateUpdate, NewCandidate, NewVacancy, Submission
from portal.contract.candidates import CandidatePage
from portal.contract.model import Read, Write
from portal.contract.pipeline import PipelineStages
from portal.contract.vacancies import CreatedVacancy, VacancyDetail, VacancyPage


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter: its JSON type, its format if one is given, and whether it is required."""

    name: str
    type: str
    format: str | None = None
    required: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. `answer` is None where the document shows no shape, and for §4.5, which returns a bare string."""

    section: str
    method: str
    path: str
    needs_key: bool
    query: tuple[Parameter, ...] = ()
    body: type[Write] | None = None
    answer: type[Read] | None = None

    @property
    def body_most(self) -> int:
        """The maximum size of its body, in bytes."""
        return bounds.BODY_MAX if self.needs_key else bounds.PUBLIC_BODY_MAX


LIST_VACANCIES = Operation(
    "4.1",
    "GET",
    "/vacancies",
    needs_key=True,
    query=(
        Parameter("limit", "number"),
        Parameter("modifiedSince", "string", "date-time"),
        Parameter("cursor", "string", "date-time"),
    ),
    answer=VacancyPage,
)
LIST_CANDIDATES = Operation(
    "4.2",
    "GET",
    "/candidates",
    needs_key=True,
    query=(
        Parameter("limit", "number"),
        Parameter("modifiedSince", "string", "date-time"),
        Parameter("cursor", "string"),
    ),
    answer=CandidatePage,
)
GET_VACANCY = Operation("4.3", "GET", "/vacancies/{id}", needs_key=True, answer=VacancyDetail)
CREATE_VACANCY = Operation(
    "4.4",
    "POST",
    "/vacancies",
    needs_key=True,
    query=(Parameter("companyId", "string", required=True),),
    body=NewVacancy,
    answer=CreatedVacancy,
)
CREATE_CANDIDATE = Operation("4.5", "POST", "/candidates", needs_key=True, body=NewCandidate)
LIST_APPLICATIONS = Operation(
    "4.6", "GET", "/applications/vacancy/{vacancyId}", needs_key=True, answer=VacancyApplications
)
GET_APPLICATION = Operation("4.7", "GET", "/applications/{id}", needs_key=True, answer=Application)
SUBMIT_APPLICATION = Operation(
    "4.8",
    "POST",
    "/{publicTenantSlug}/vacancy-portal/jobs/{jobBoardPostingId}",
    needs_key=False,
    body=Submission,
)
LIST_STAGES = Operation(
    "4.9",
    "GET",
    "/pipeline/applications/stages",
    needs_key=True,
    query=(Parameter("templateId", "string"),),
    answer=PipelineStages,
)
UPDATE_CANDIDATE = Operation(
    "4.10",
    "POST",
    "/{publicTenantSlug}/candidate-portal/{candidateId}",
    needs_key=False,
    body=CandidateUpdate,
)

OPERATIONS = (
    LIST_VACANCIES,
    LIST_CANDIDATES,
    GET_VACANCY,
    CREATE_VACANCY,
    CREATE_CANDIDATE,
    LIST_APPLICATIONS,
    GET_APPLICATION,
    SUBMIT_APPLICATION,
    LIST_STAGES,
    UPDATE_CANDIDATE,
)
