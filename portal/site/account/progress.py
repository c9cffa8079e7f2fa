"""The status of applications at the service, in the tenant's public words; nothing else of the service is shown."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime

from flask_babel import gettext

from portal.adapters.tracker_client.client import Upstream
from portal.contract.applications import ApplicationSummary
from portal.delivery.envelopes.receipt import Receipt, ReceiptState
from portal.jobs.posting import vacancy_id
from portal.platform.database.db import Database
from portal.platform.errors import NotThere, UpstreamError
from portal.site.words.locale import language
from portal.tenants.model import Tenant
from portal.tenants.words import words_of

log = logging.getLogger(__name__)

_VACANCIES_MOST = 20


@dataclass(frozen=True, slots=True)
class PublicWord:
    """The status of an application, and the language of the word."""

    word: str
    language: str


def progress_of(
    db: Database,
    service: Upstream,
    tenant: Tenant,
    candidate_id: str,
    sent: list[Receipt],
) -> dict[str, PublicWord]:
    """Return posting id → public word, for postings where the service lists an application of this candidate (§4.6).

    What cannot be read is left out. §4.7 is not called: of what may be shown it has only the stage, which §4.6 has too.
    """
    wanted = dict.fromkeys(one.about for one in sent if one.state is ReceiptState.SENT)
    found: dict[str, PublicWord] = {}
    for posting_id in list(wanted)[:_VACANCIES_MOST]:
        vacancy = vacancy_id(db, tenant, posting_id)
        if vacancy is None:
            continue
        try:
            known = service.applications(vacancy).applications
        except NotThere:
            continue
        except UpstreamError as error:
            log.warning("progress of applications at %s: %s", tenant.slug, error)
            break
        found_here = [one for one in known if one.candidate is not None and one.candidate.id == candidate_id]
        if found_here:
            found[posting_id] = public_word(tenant, max(found_here, key=_last_active))
    return found


def _last_active(application: ApplicationSummary) -> datetime:
    """Return the time of the last activity. A candidate who applied again after a rejection has two applications; the
    one with the latest activity counts.
    """
    activity = application.latest_activity
    return (activity.date if activity else None) or datetime.min.replace(tzinfo=UTC)


def public_word(tenant: Tenant, application: ApplicationSummary) -> PublicWord:
    """Return the tenant's word for the stage; "In progress" for a stage that has none."""
    stage = application.stage.name if application.stage else None
    words = words_of(tenant, language(tenant))
    if stage and (word := words.stages.get(stage)):
        return PublicWord(word, words.language_of("stages", stage))
    return PublicWord(str(gettext("In progress")), words.language)
