"""Every figure with its target, by the part that measures it, in the order in which the parts are run.

A part that takes less than its time leaves the rest to those after it; all together have TOTAL seconds.
"""

from collections.abc import Iterator

from bench.figures import Part, Target

TOTAL = 25 * 60
_PAGES = "decisions/0131-pages-and-searches-are-shortened-by-profile.md"
_STATEMENTS = "decisions/0132-deliveries-share-statements-and-not-locks.md"
_FILES = "decisions/0133-files-are-read-once-and-memory-is-bounded.md"
_WAITS = "decisions/0134-the-first-job-is-painted-before-its-filters.md"
_EACH = ", each"


def _part(name: str, seconds: float, explained: str, how: str, targets: str = "") -> Part:
    """targets: a line for each; with `, each` at its end it holds for both databases."""
    return Part(name, seconds, explained, how, tuple(one for line in targets.splitlines() for one in _targets(line)))


def _targets(line: str) -> Iterator[Target]:
    if line.strip():
        sign, value, name = line.split(maxsplit=2)
        each = [name.replace(_EACH, f", {kind}") for kind in ("SQLite", "PostgreSQL")] if _EACH in name else [name]
        for one in each:
            yield Target(one, {"≥": "at least", "≤": "at most"}[sign], float(value.replace(",", "")))  # type: ignore[arg-type]  # both literals


PARTS = (
    _part("delivery", 240, _STATEMENTS,
        "Applications are accepted, and the same rows committed through the bare driver, in turn and durably, by one "
        "thread on SQLite and four on PostgreSQL. A backlog waits until the workers have started; the same bodies are "
        "then posted to the same service by a bare client. Workers, service and client share the machine.",
        """
        ≥ 1.0 accepted applications / bare durable commits, SQLite
        ≥ 0.8 accepted applications / bare durable commits, PostgreSQL
        ≤ 30 accepting at half that rate, ms for 99 in 100, each
        ≥ 0.5 backlog delivered by one worker / bare posts, each
        ≥ 1.0 four workers / one, SQLite
        ≥ 2.0 four workers / one, PostgreSQL
        """),
    _part("pages", 130, _PAGES,
        "`wrk` asks, in turn, our server, which writes its access lines, and a Flask view that returns a constant.",
        """
        ≥ 3.0 job page, cached / bare Flask view
        ≥ 3.0 list page of 60 jobs, cached / bare Flask view
        ≥ 3.0 list page of 10,000 jobs, cached / bare Flask view
        ≥ 3.0 list as data (jobs.json), cached / bare Flask view
        ≥ 2.5 list page of 10,000 jobs beside 200 posts whose bodies arrive slowly / bare Flask view
        ≤ 6,500 list page of 60 jobs in brotli, bytes
        ≤ 9,000 first view of a job with its styles in brotli, bytes
        """),
    _part("tenants", 150, _STATEMENTS,
        "A worker's own round over 1,000 tenants of 20 jobs each, over HTTP, beside as many requests by a bare client; "
        "searches in one tenant of these and in a database that holds nobody else.",
        """
        ≤ 2 time / bare requests of a round over 1,000 quiet tenants, each
        ≤ 1 requests for each tenant of a round over 1,000 quiet tenants, each
        ≤ 10 writes in all of a round over 1,000 quiet tenants, each
        ≤ 512 open files and connections after a round over 1,000 quiet tenants, each
        ≤ 1.3 list: one of 1,000 tenants / alone, each
        ≤ 1.2 two words in few titles: one of 1,000 tenants / alone, each
        ≤ 1.2 two words in every description: one of 1,000 tenants / alone, each
        ≤ 1.3 two filters, counts: one of 1,000 tenants / alone, each
        ≤ 1.2 a misspelt word: one of 1,000 tenants / alone, each
        """),
    _part("tracker", 150, _STATEMENTS,
        "The service by calls of its WSGI application beside bare commits of a row of that size, and by HTTP beside a "
        "Flask view on the same server, with one thread each; over 50,000 vacancies on SQLite.",
        """
        ≥ 0.3 §4.8 by WSGI call / bare commits of a row, each
        ≥ 0.3 §4.8 with an Idempotency-Key / bare commits of a row, each
        ≥ 0.4 §4.8 / bare Flask view that commits a row of that size
        ≥ 0.35 §4.3 / bare Flask view of the same bytes
        ≥ 0.3 §4.1 page of 50 / bare Flask view of the same bytes
        ≤ 1.2 §4.1, the last pages / the first
        ≤ 200 loading vacancies, MB at most
        """),
    _part("start", 40, _WAITS,
        "`portal demo` on data that is there, to the response of its first page.",
        "≤ 2.5 second start to the first page, s"),
    _part("embed", 60, _WAITS,
        "Chromium, slowed down four times, from the loader to the paint of the first job's title in the frame.",
        """
        ≤ 4,096 embed.js in gzip, bytes
        ≤ 300 from script to first job in the frame, ms
        ≤ 2 from script to first job in the frame, requests
        """),
    _part("mirror", 240, _PAGES,
        "Databases are made by first passes over a service of that size; searches are timed in turn, without HTTP.",
        """
        ≤ 300 a first pass over a large list, MB at most, each
        ≤ 1.3 list, not cached: 100,000 jobs / 100, each
        ≤ 2 two words, two filters, counts, not cached: 100,000 jobs / 1,000, each
        ≤ 3 two filters, counts, not cached: 100,000 jobs / 1,000, each
        ≤ 10 a misspelt word: 100,000 jobs / 1,000, each
        ≤ 1.3 a page far behind in the list / the first, each
        ≤ 1 requests of a pass that finds nothing new, each
        ≤ 0 writes of a pass that finds nothing new, each
        """),
    _part("memory", 90, _FILES,
        "One process of `portal serve` over 100,000 postings on SQLite, while four visitors search, read and make "
        "mistakes in forms for a minute, which stands for the hour that is meant; `LOAD_SECONDS=3600` takes it.",
        """
        ≤ 110 web process after mixed load, MB of PSS
        ≤ 1.2 web process after mixed load / at rest
        """),
    _part("direct", 80, _FILES,
        "The demo's server, a file of 10 MB, and a WSGI function that writes what comes to a file and syncs it.",
        """
        ≤ 10,000 what a browser sends to the portal with a direct upload of 10 MB, bytes
        ≥ 0.6 a file of 10 MB streamed through the portal / bare WSGI loop
        ≥ 0.8 job pages beside 50 uploads of 20 KB/s / alone
        ≤ 30 memory grown by 50 uploads of 20 KB/s, MB
        """),
    _part("uploads", 40, _FILES,
        "Resident memory of the demo's server, the highest during ten uploads less that before them.",
        "≤ 8 memory grown by ten uploads of 10 MB, MB"),
    _part("inspection", 20, _FILES,
        "A PDF of photographs, inspected in a process of its own and read in pieces of 64 KB, in turn.",
        """
        ≤ 10 inspection of a PDF of 10 MB / reading its bytes
        ≤ 50 inspection of an ordinary CV, ms
        """),
    _part("feeds", 90, _FILES,
        "Feeds of 20,000 jobs in four formats and three job board APIs, PSS of the serving process; the file is sent "
        "by the same server's file service.",
        """
        ≤ 40 memory above rest while a feed is made, MB
        ≥ 0.8 a feed / the same bytes as a static file
        """),
    _part("facets", 90, _PAGES,
        "Searches in 100,000 jobs of a company with two filters of its own, in turn with its whole list.",
        """
        ≤ 5 a country / all jobs, each
        ≤ 5 a company's own filter / all jobs, each
        ≤ 5 near a town / all jobs, each
        """),
    _part("growth", 80, _STATEMENTS,
        "A database with 400,000 finished applications and a week's rows in the outbox, in turn with an empty one.",
        """
        ≤ 1.2 accept after a year / in an empty database, each
        ≤ 1.2 claim and settle after a year / in an empty database, each
        ≤ 1.2 receipt after a year / in an empty database, each
        ≤ 1.2 a page of the list of submissions after a year / in an empty database, each
        ≤ 1.2 a page of those given up after a year / in an empty database, each
        """),
    _part("capacity", 0, "operating/capacity.md", "Prints the tables of that page."),
)  # fmt: skip
