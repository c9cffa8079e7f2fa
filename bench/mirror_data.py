"""A service of any size for the benchmarks: pages are made as they are asked for, so that they take no memory."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from portal.adapters.tracker_client.client import ListPage
from portal.adapters.tracker_client.page import FieldSelection
from portal.contract.vacancies import Vacancy, VacancyDetail

START = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = "Nurse Developer Baker Driver Teacher Electrician Accountant Welder Designer Physicist Gardener Pilot"
_ROLES = _WORDS.split()
_MORE_WORDS = "Senior Junior Night Lead Assistant Mobile Clinical Industrial Regional Digital"
_KINDS = _MORE_WORDS.split()
_PLACES = [
    ("Berlin", "DE"), ("Hamburg", "DE"), ("München", "DE"), ("Köln", "DE"), ("Leipzig", "DE"), ("Wien", "AT"),
    ("Graz", "AT"), ("Zürich", "CH"), ("Paris", "FR"), ("Lyon", "FR"), ("Lille", "FR"), ("London", "GB"),
    ("Leeds", "GB"), ("York", "GB"), ("Dublin", "IE"), ("Madrid", "ES"), ("Sevilla", "ES"), ("Rotterdam", "NL"),
    ("Utrecht", "NL"), ("Kraków", "PL"), ("Poznań", "PL"), ("Boston", "US"), ("Madison", "US"), ("Duluth", "US"),
]  # fmt: skip
_TASKS = (
    "plan the week with the team", "write down what was done", "talk to people who need help", "keep machines running",
    "order what is missing", "teach those who are new", "check quality twice", "travel to clients", "answer the phone",
    "improve how we work", "read plans and build by them", "care for safety",
)  # fmt: skip
_EMPLOYMENT = ("fullTime", "partTime", "temporary", "internship")
_WAYS = ("onsite", "hybrid", "remote")


def title_of(number: int) -> str:
    """One of 120 titles, with a number that is in no other."""
    return f"{_KINDS[number % 10]} {_ROLES[number // 10 % 12]} no{number}"


def record(number: int) -> Vacancy:
    """Vacancy `number`, about 1,500 characters long."""
    city, country = _PLACES[number * 7 % len(_PLACES)]
    tasks = "".join(f"<li>{_TASKS[(number * k + k) % len(_TASKS)]}, in unit u{number % 977}</li>" for k in range(1, 8))
    about = f"<h2>{title_of(number)}</h2><p>We are a team in {city} and look for you.</p><ul>{tasks}</ul>"
    about += f"<p>{'We offer what others promise, and we pay on time. ' * 12}</p>"
    return Vacancy.model_validate(
        {
            "id": f"v{number}",
            "name": {"name": title_of(number)},
            "description": {"description": about},
            "stage": {"stage": {"name": "Open"}},
            "createdAt": {"createdAt": START + timedelta(minutes=number % 200_000)},
            "location": {"location": {"city": city, "country": country}},
            "employmentType": {"employmentType": _EMPLOYMENT[number * 3 % 4]},
            "locationType": {"locationType": _WAYS[number * 5 % 3]},
        }
    )


class Service:
    """What mirror.sync asks of a client. `asked` counts requests. first: the number of its first vacancy."""

    def __init__(self, size: int, served_at: datetime, *, first: int = 0) -> None:
        self._size = size
        self._served_at = served_at
        self._first = first
        self.asked = 0

    def vacancies(
        self,
        *,
        limit: int = 50,
        modified_since: datetime | None = None,
        cursor: str | None = None,
        reading: FieldSelection | None = None,  # noqa: ARG002  the client's signature
    ) -> ListPage[Vacancy]:
        """Vacancy n was modified n milliseconds after START."""
        self.asked += 1
        since = datetime.fromisoformat(cursor) if cursor else (modified_since or START)
        first = max(0, round((since - START) / timedelta(milliseconds=1)))
        last = min(self._size, first + limit)
        items = tuple(self._records(first, last))
        more = last < self._size
        following = (START + timedelta(milliseconds=last)).isoformat() if more else None
        return ListPage(items=items, bad=(), next_cursor=following, has_next=more, served_at=self._served_at)

    def vacancy(self, vacancy_id: str, *, reading: FieldSelection | None = None) -> VacancyDetail:
        """Not asked for: the posting id is the vacancy's own."""
        raise NotImplementedError(vacancy_id)

    def _records(self, first: int, last: int) -> Iterator[Vacancy]:
        return (record(self._first + number) for number in range(first, last))
