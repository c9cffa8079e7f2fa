"""The steps of a worker's housekeeping. They are independent, and each does nothing when there is nothing to do."""

from collections.abc import Callable, Mapping
from datetime import timedelta

from portal.background.mails import queue as mail_queue
from portal.background.mails import quota
from portal.background.outbox import worker as outbox
from portal.background.outbox.claim import correct_clock
from portal.background.outbox.retry_policy import Policy
from portal.delivery.envelopes import consent, retention
from portal.delivery.envelopes.misconfiguration import notify_of_rejected_deliveries
from portal.delivery.envelopes.person import purge, record_secret_key_in_use
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import requests, tombstones
from portal.delivery.record_changes import undo_links
from portal.delivery.uploads import refusal_counts
from portal.delivery.uploads.orphans import forget_asked
from portal.delivery.uploads.storing import delete_unclaimed
from portal.jobs.alerts.sending import AlertSender
from portal.jobs.mirror.state import forget_closed
from portal.jobs.pushes.changes import forget_gone, forget_settled
from portal.operations.actions import audit
from portal.people.index import history
from portal.people.signin import sessions
from portal.services import Services
from portal.tenants.retention import Cutoffs, RetentionPeriod, cutoffs

Steps = list[Callable[[], object]]


def urgent_steps(services: Services, handlers: Mapping[str, outbox.Handler], policy: Policy) -> Steps:
    """Return the urgent steps, which notify people: expiry of overdue outbox rows, and the rejection alert."""
    db, clock = services.database, services.clock
    return [
        lambda: correct_clock(db, policy, clock.now()),
        lambda: outbox.give_up_overdue(db, handlers, policy, clock),
        lambda: notify_of_rejected_deliveries(db, services.seal, services.tenants, clock),
    ]


def cleanup_steps(services: Services, alert_sender: AlertSender) -> Steps:
    """Return the steps that can wait: deletion of expired rows and files, and truncation of SQLite's write-ahead log.

    Erased bytes remain in that log until it is truncated.
    """
    db, clock, settings = services.database, services.clock, services.settings
    return [
        lambda: tombstones.store_new(db, services.erasures, clock.now()),
        lambda: record_secret_key_in_use(db, services.seal, clock.now()),
        lambda: purge(db, KINDS, after=settings.purge_after, clock=clock),
        lambda: mail_queue.forget_settled(
            db, before=clock.now() - max(timedelta(seconds=settings.purge_after), quota.DIGESTS_COUNTED_FOR)
        ),
        lambda: quota.forget_old(db, clock.now()),
        lambda: delete_unclaimed(db, services.store, older_than=settings.upload_ttl, clock=clock),
        lambda: forget_asked(db, services.store, older_than=settings.upload_ttl, clock=clock),
        lambda: sessions.forget_expired(db, ttl=settings.session_ttl, clock=clock),
        alert_sender.delete_ended,
        lambda: undo_links.settle_expired(db, services.seal, clock.now()),
        lambda: audit.forget_old(db, clock.now()),
        lambda: refusal_counts.forget_old(db, clock.now()),
        lambda: forget_settled(db, clock.now()),
        db.truncate_log,
    ]


def retention_steps(services: Services) -> Steps:
    """Return the steps that delete data at the end of retention periods, and notify operators first where required.

    Erasures that are missing from a restored database are repeated first. Receipts are deleted before consents, because
    only receipts refer to consents; each of these steps reads more than those of cleanup_steps().
    """
    db, clock, seal, tenants = services.database, services.clock, services.seal, services.tenants

    def old(what: RetentionPeriod | None = None) -> Cutoffs:
        wrong = tenants.problems()  # an invalid file may name a longer retention than the version in use
        retentions = {one.slug: one.retention for one in tenants.all() if one.slug not in wrong}
        return cutoffs(retentions, what, otherwise=services.settings.forget_after, now=clock.now())

    return [
        lambda: tombstones.apply_unknown(db, services.erasures, clock.now()),
        lambda: tombstones.forget_old(db, services.erasures, old()),
        lambda: retention.record_sent_notices(db),
        lambda: retention.discard_expired(db, KINDS, old(RetentionPeriod.FAILED), clock),
        lambda: retention.notify_of_expiring(db, seal, KINDS, tenants, old(RetentionPeriod.FAILED), clock),
        lambda: requests.forget_answered(db, old(RetentionPeriod.REQUESTS)),
        lambda: retention.forget_receipts(db, old(RetentionPeriod.RECEIPTS), unless=requests.has_open_request),
        lambda: consent.forget_unused(db, old(RetentionPeriod.RECEIPTS)),
        lambda: history.forget_old(db, old(RetentionPeriod.HISTORY)),
        lambda: forget_gone(db, old(RetentionPeriod.JOBS)),
        lambda: forget_closed(db, old(RetentionPeriod.JOBS)),
        lambda: services.store.delete_partial(clock.now() - timedelta(days=1)),
    ]
