"""Steps of a worker's housekeeping. They are independent, and each does nothing when there is nothing to do."""

from collections.abc import Callable, Mapping
from datetime import timedelta

from portal.background.mails import queue as letters
from portal.background.mails import quota
from portal.background.outbox import worker as outbox
from portal.background.outbox.retry_policy import Policy
from portal.delivery.envelopes.purge import purge
from portal.delivery.envelopes.rejection_alert import tell_of_what_is_turned_away
from portal.delivery.kinds import KINDS
from portal.delivery.record_changes import undo_links
from portal.delivery.uploads import refusals
from portal.delivery.uploads.orphans import forget_asked
from portal.delivery.uploads.storing import delete_unclaimed
from portal.jobs.alerts.sending import AlertSender
from portal.jobs.pushes.changes import forget_settled
from portal.operations.actions import audit
from portal.people.index import history
from portal.people.signin import sessions
from portal.services import Services

Steps = list[Callable[[], object]]


def giving_up(services: Services, handlers: Mapping[str, outbox.Handler], policy: Policy) -> Steps:
    """Return the urgent steps, which somebody waits for: expiry of overdue outbox rows, and the rejection alert."""
    db, clock = services.database, services.clock
    return [
        lambda: outbox.give_up_overdue(db, handlers, policy, clock),
        lambda: tell_of_what_is_turned_away(db, services.seal, services.tenants, clock),
    ]


def forgetting(services: Services, teller: AlertSender) -> Steps:
    """Return the steps that can wait: deletion of expired rows and files, and truncation of SQLite's write-ahead log.

    Erased bytes remain in that log until it is truncated.
    """
    db, clock, settings = services.database, services.clock, services.settings
    return [
        lambda: purge(db, KINDS, after=settings.purge_after, clock=clock),
        lambda: letters.forget_settled(
            db, before=clock.now() - max(timedelta(seconds=settings.purge_after), quota.COUNTED)
        ),
        lambda: quota.forget_old(db, clock.now()),
        lambda: delete_unclaimed(db, services.store, older_than=settings.upload_ttl, clock=clock),
        lambda: forget_asked(db, services.store, older_than=settings.upload_ttl, clock=clock),
        lambda: sessions.forget_expired(db, ttl=settings.session_ttl, clock=clock),
        teller.forget_what_is_over,
        lambda: undo_links.settle_what_is_over(db, services.seal, clock.now()),
        lambda: history.forget_old(db, clock.now()),
        lambda: audit.forget_old(db, clock.now()),
        lambda: refusals.forget_old(db, clock.now()),
        lambda: forget_settled(db, clock.now()),
        db.truncate_log,
    ]
