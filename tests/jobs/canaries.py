"""A vacancy with a unique marker in every field that must not be published."""

from typing import Any

from tests.jobs.standin import vacancy

CANARY = "canary-7f3a"
KEPT = {
    "id", "name", "description", "stage", "createdAt", "startAt", "endAt", "location", "employmentType", "locationType",
    "salaryRange", "client",
}  # fmt: skip


def full_of_canaries(vacancy_id: str = "v1", posting_id: str = "POST-1", **changes: Any) -> dict[str, Any]:
    """Return a vacancy with markers. changes: as for `vacancy`."""
    record = vacancy(vacancy_id, "Night nurse", attributes=[("posting", posting_id)], **changes)
    person = {"userId": CANARY, "id": CANARY, "name": CANARY, "email": f"{CANARY}@x.example", "avatarUrl": CANARY}
    contact = dict.fromkeys(("id", "firstName", "lastName", "middleName", "companyName", "candidateId"), CANARY)
    record["client"]["client"] |= dict.fromkeys(("industry", "size", "description", "domain", "logoUrl"), CANARY)
    record["client"]["client"]["id"] = CANARY
    record["stage"]["stage"] |= {"id": CANARY, "colorHex": CANARY, CANARY: CANARY}
    record["location"]["location"] |= {"type": CANARY, CANARY: CANARY}
    record["team"] = {"viewType": "vacancyTeam", "team": [person]}
    record["clientTeam"] = {"viewType": CANARY, "clientTeam": [contact]}
    record["scorecard"] = {"scorecards": [{"group_name": CANARY, "attributes": [{"attribute": CANARY}]}]}
    record["nextTaskDue"] = {"nextTaskDue": {"id": CANARY, "content": CANARY, "dueDate": "2026-06-01T00:00:00Z"}}
    record["stageTotals"] = {"totals": [{"type": CANARY, "id": CANARY, "name": CANARY, "order": 1, "total": 3}]}
    record["customAttributes"][0] |= {"label": CANARY, "description": CANARY, "options": [CANARY]}
    record["customAttributes"].append({"attributeDefinitionId": CANARY, "value": {"deep": [CANARY]}})
    record["clientPortalId"] = CANARY
    record["lastRankedAt"] = "2026-05-05T05:05:05Z"
    record[CANARY] = {CANARY: CANARY}
    for name in record:
        if isinstance(record[name], dict):
            record[name][f"unknown {CANARY}"] = CANARY
    return record
