"""Metrics read from the database: any web process reports them, regardless of which process does the work."""

from collections import Counter
from collections.abc import Collection, Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from portal.background.mails.queue import KIND as LETTER
from portal.background.mails.queue import LANE as MAIL
from portal.background.outbox import health as outbox
from portal.background.outbox import heartbeat
from portal.background.outbox.states import OutboxState
from portal.background.sync import health as sync_health
from portal.background.sync.tables import ListName
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes.health import suspicions
from portal.delivery.envelopes.kinds import lane
from portal.delivery.envelopes.retention import count_expiring
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import health as requests
from portal.delivery.record_changes.kind import CHANGE
from portal.jobs.alerts import sending as alerts
from portal.operations.backup import manifest
from portal.people.signin import deliver
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.tenants.folder import Tenants
from portal.tenants.retention import RetentionPeriod, cutoffs

_BY_KIND = {
    APPLICATION.name: ("portal_submissions", "Submissions"),
    CHANGE.name: ("portal_record_changes", "Profile changes"),
    LETTER: ("portal_letters", "Emails"),
}


class DatabaseMetrics:
    """Metrics that are read anew for each scrape. code_ttl: lifetime of a sign-in code, in seconds.

    forget_after: PORTAL_FORGET_AFTER, in seconds.
    """

    def __init__(
        self, database: Database, tenants: Tenants, clock: Clock, *, code_ttl: float, forget_after: float
    ) -> None:
        self._database = database
        self._tenants = tenants
        self._clock = clock
        self._code_ttl = code_ttl
        self._forget_after = forget_after

    def families(self) -> Iterator[Metric]:
        """Yield every metric. Raises DatabaseUnavailable."""
        yield from self._queue()
        yield from self._suspicions()
        yield self._expiring()
        yield from self._breakers()
        yield from self._workers()
        yield from self._passes(ListName.VACANCIES, "portal_mirror")
        yield from self._passes(ListName.CANDIDATES, "portal_index")
        yield from self._requests()
        yield from self._alerts()
        taken_at = manifest.last_taken(self._database)
        age = float("inf") if taken_at is None else max(0.0, (self._clock.now() - taken_at).total_seconds())
        yield GaugeMetricFamily("portal_backup_age_seconds", "Seconds since the newest backup; +Inf: never.", age)

    def _queue(self) -> Iterator[Metric]:
        """Yield the metrics of all kinds from one query, which reads the whole queue."""
        known = outbox.depths(self._database)
        labels = ["kind", "tenant", "state"]
        depth = GaugeMetricFamily("portal_queue", "Items in the queue, by kind, tenant and state.", labels=labels)
        tried = GaugeMetricFamily("portal_queue_attempts", "Attempts made for items in the queue.", labels=labels)
        ages: dict[tuple[str, str], float] = {}
        unreadable: Counter[tuple[str, str]] = Counter()
        for one in known:
            unreadable[one.kind, one.tenant] += one.unreadable
            depth.add_metric([one.kind, one.tenant, one.state], one.count)
            tried.add_metric([one.kind, one.tenant, one.state], one.attempts)
            if one.oldest is not None:
                age = max(0.0, (self._clock.now() - one.oldest).total_seconds())
                ages[one.kind, one.tenant] = max(age, ages.get((one.kind, one.tenant), 0.0))
        yield self._due({(one.kind, one.tenant) for one in known})
        oldest = GaugeMetricFamily(
            "portal_queue_oldest_seconds", "Age of the oldest still waiting.", labels=["kind", "tenant"]
        )
        for key, age in sorted(ages.items()):
            oldest.add_metric(key, age)
        sealed = GaugeMetricFamily(
            "portal_queue_unreadable", "Of these, those that no secret key opens.", labels=["kind", "tenant"]
        )
        for whose, count in sorted(unreadable.items()):
            sealed.add_metric(whose, count)
        yield from (depth, tried, oldest, sealed)
        for kind, (name, what) in _BY_KIND.items():
            yield from _of_kind(name, what, [one for one in known if one.kind == kind], ages, kind)

    def _due(self, queued: Collection[tuple[str, str]]) -> Metric:
        """Return a value for each (kind, tenant) with items, 0 included, so that alerts see when nothing was due."""
        now = self._clock.now()
        since = outbox.due_since(self._database, now)
        longest = GaugeMetricFamily(
            "portal_queue_due_seconds",
            "Seconds for which an item could have been sent and was not; 0: none.",
            labels=["kind", "tenant"],
        )
        for key in sorted({*queued, *since}):
            longest.add_metric(key, (now - since.get(key, now)).total_seconds())
        return longest

    def _workers(self) -> Iterator[Metric]:
        workers = heartbeat.worker_status(self._database, self._clock.now())
        yield GaugeMetricFamily("portal_workers", "Workers that reported within 30 s.", workers.fresh)
        silent = float("inf") if workers.silent_for is None else workers.silent_for
        yield GaugeMetricFamily(
            "portal_worker_silent_seconds", "Seconds since a worker last reported; +Inf: never.", silent
        )
        what = "Workers that vanished within 6 h without being stopped, and were not replaced."
        yield GaugeMetricFamily("portal_workers_missing", what, workers.missing)
        labels = ["worker", "work"]
        busy = GaugeMetricFamily("portal_worker_busy", "Threads at work, at the last report.", labels=labels)
        most = GaugeMetricFamily("portal_worker_busy_most", "Threads that there are for it.", labels=labels)
        for one in workers.loads:
            busy.add_metric([one.worker, one.work], one.busy)
            most.add_metric([one.worker, one.work], one.most)
        yield from (busy, most)

    def _suspicions(self) -> Iterator[Metric]:
        """Yield counts of stored rows, so any process reports for all and a restart resets nothing."""
        suspected = CounterMetricFamily(
            "portal_suspicions", "Applications that a bot may have sent.", labels=["tenant", "reason"]
        )
        for (tenant, reason), count in sorted(suspicions(self._database).items()):
            suspected.add_metric([tenant, reason], count)
        yield suspected
        waits = GaugeMetricFamily(
            "portal_submissions_waiting", "Submissions held until someone releases them.", labels=["tenant", "for"]
        )
        for (slug, who), count in sorted(outbox.waiting(self._database, APPLICATION.name).items()):
            waits.add_metric([slug, who.value], count)
        yield waits

    def _expiring(self) -> Metric:
        retentions = {one.slug: one.retention for one in self._tenants.all()}
        old = cutoffs(retentions, RetentionPeriod.FAILED, otherwise=self._forget_after, now=self._clock.now())
        found = count_expiring(self._database, KINDS, old)
        expiring = _by_tenant("portal_failed_expiring", "Failed submissions whose retention ends within two weeks.")
        for slug in sorted({*found, *retentions}):
            expiring.add_metric([slug], found.get(slug, 0))
        return expiring

    def _breakers(self) -> Iterator[Metric]:
        troubled = outbox.open_breakers(self._database)
        pauses = outbox.pauses_left(self._database, self._clock.now())
        breaker = _by_tenant("portal_breaker_open", "1 while the tenant's service fails or rejects the portal.")
        rest = _by_tenant("portal_lane_rest_seconds", "Seconds for which nothing is sent to the tenant's service.")
        for tenant in self._tenants.all():
            breaker.add_metric([tenant.slug], float(lane(tenant.slug) in troubled))
            rest.add_metric([tenant.slug], pauses.get(lane(tenant.slug), 0.0))
        ends = _by_tenant("portal_service_certificate_days", "Until the certificate of the tenant's service expires.")
        for slug, days in sorted(sync_health.days_left(self._database, self._tenants.all(), self._clock.now()).items()):
            ends.add_metric([slug], days)
        yield from (breaker, rest, ends)
        yield GaugeMetricFamily("portal_mail_breaker_open", "1 while the mail server fails.", float(MAIL in troubled))
        late = deliver.count_unsent(self._database, self._clock.now(), ttl=self._code_ttl)
        yield GaugeMetricFamily(
            "portal_codes_late", f"Sign-in codes that wait for more than {deliver.UNSENT_ALERT_SECONDS} s.", late
        )

    def _passes(self, name: ListName, prefix: str) -> Iterator[Metric]:
        known = sync_health.all_of(self._database, name, self._clock.now())
        ages = _by_tenant(
            f"{prefix}_age_seconds", f"Seconds since the tenant's {name} were last read successfully; +Inf: never."
        )
        failures = _by_tenant(f"{prefix}_failures", f"Consecutive failed passes over the tenant's {name}.")
        for tenant in self._tenants.all():
            found = known.get(tenant.slug)
            ages.add_metric([tenant.slug], float("inf") if found is None or found.age is None else found.age)
            failures.add_metric([tenant.slug], found.failures if found else 0)
        yield ages
        yield failures

    def _requests(self) -> Iterator[Metric]:
        open_requests = requests.by_tenant(self._database, self._clock.now())
        what = "Withdrawals and erasures that the tenant has not responded to"
        count = _by_tenant("portal_requests_open", f"{what}.")
        overdue = _by_tenant("portal_requests_overdue", f"{what} in time.")
        oldest = _by_tenant("portal_requests_oldest_seconds", f"{what}: age of the oldest.")
        # Requests to a tenant whose file was removed still need a response.
        for slug in sorted({*open_requests, *(tenant.slug for tenant in self._tenants.all())}):
            known = open_requests.get(slug, requests.OpenRequests(0, 0, 0.0))
            count.add_metric([slug], known.open)
            overdue.add_metric([slug], known.overdue)
            oldest.add_metric([slug], known.oldest)
        yield from (count, overdue, oldest)

    def _alerts(self) -> Iterator[Metric]:
        known = alerts.counts_by_tenant(self._database, self._clock.now())
        count = GaugeMetricFamily("portal_alerts", "Job alerts by email.", labels=["tenant", "state"])
        late = _by_tenant("portal_alerts_late_seconds", "Seconds that the oldest due alert has been waiting; 0: none.")
        for slug in sorted({*known, *(tenant.slug for tenant in self._tenants.all())}):
            found = known.get(slug, alerts.AlertCounts())
            count.add_metric([slug, "confirmed"], found.confirmed)
            count.add_metric([slug, "asked"], found.asked)
            late.add_metric([slug], found.late)
        yield from (count, late)


def _of_kind(
    name: str, what: str, known: list[outbox.Depth], ages: dict[tuple[str, str], float], kind: str
) -> Iterator[Metric]:
    counts: Counter[OutboxState] = Counter()
    for one in known:
        counts[one.state] += one.count
    by_state = GaugeMetricFamily(name, f"{what} by state.", labels=["state"])
    for state in OutboxState:
        by_state.add_metric([state.value], counts[state])
    yield by_state
    oldest = max((age for (of, _), age in ages.items() if of == kind), default=0.0)
    yield GaugeMetricFamily(
        f"{name}_oldest_undelivered_seconds", f"{what}: age of the oldest still waiting; 0: none.", oldest
    )


def _by_tenant(name: str, what: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, what, labels=["tenant"])
