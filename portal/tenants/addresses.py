"""Builds the portal's public URLs, in one place.

They are based on PORTAL_BASE_URL or the tenant's own host, never on the request, so that a forged request cannot make
our pages link elsewhere. Links within a page are paths; those that leave it (canonical, feeds, mail) are absolute.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from portal.contract.bounds import PUBLIC_ID
from portal.tenants.model import Tenant

Parameters = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Addresses:
    """Links of one tenant's pages in one language.

    prefix: "" on the tenant's own host, "/slug/embed" in a frame, else "/slug". lang: None for the tenant's default
    language, `default`. origin, home: the public location of the tenant's pages: scheme and host, and the prefix there.

    Methods return paths below `prefix`. Those marked "unframed" omit "/embed", for scripts of a framed page too.
    """

    prefix: str
    origin: str
    home: str
    default: str
    lang: str | None = None

    def jobs(self, parameters: Parameters = ()) -> str:
        """Return the job list, with a search if given."""
        return self.at("/", parameters)

    def jobs_of(self, search: str) -> str:
        """Return the job list with the search in the query string of another URL of it."""
        return self.jobs(parse_qsl(search))

    def job(self, posting_id: str) -> str:
        """Return a job's page."""
        return self.at(f"/jobs/{_segment(posting_id)}")

    def jobs_data(self, parameters: Parameters = ()) -> str:
        """Return the job list as JSON, with a search if given."""
        return self.at("/jobs.json", parameters)

    def apply(self, posting_id: str) -> str:
        """Return a job's application form."""
        return self.at(f"/jobs/{_segment(posting_id)}/apply")

    def challenge(self, posting_id: str) -> str:
        """Return where a browser gets the challenge before it sends a job's form."""
        return self.at(f"/jobs/{_segment(posting_id)}/apply/challenge")

    def kept_upload(self, posting_id: str) -> str:
        """Return where a tab asks whether the file that it remembers for a job's form is still stored."""
        return self.at(f"/jobs/{_segment(posting_id)}/apply/kept")

    def vacancy_portal(self, posting_id: str) -> str:
        """Return where programs post an application as JSON."""
        return self.at(f"/vacancy-portal/jobs/{_segment(posting_id)}")

    def uploads(self) -> str:
        """Return where programs upload the CV for such an application."""
        return self.at("/uploads")

    def uploads_direct(self) -> str:
        """Return where a form's script asks for permission to upload its file; unframed."""
        return self._unframed().at("/uploads/direct")

    def uploads_file(self) -> str:
        """Return where the script uploads the file if file storage accepts none from browsers; unframed."""
        return self._unframed().at("/uploads/direct/file")

    def uploads_checked(self) -> str:
        """Return where the script reports that the upload is complete; unframed."""
        return self._unframed().at("/uploads/checked")

    def receipt(self, reference: str) -> str:
        """Return the status page of an application."""
        return self.at(f"/applications/{_segment(reference)}")

    def confirm(self, reference: str, key: str) -> str:
        """Return the page that confirms an application. key: from the email that links there."""
        return self.at(f"/applications/{_segment(reference)}/confirm", [("key", key)])

    def alerts(self, parameters: Parameters = ()) -> str:
        """Return where people subscribe to a search by email."""
        return self.at("/alerts", parameters)

    def alert(self, alert: str, key: str, every: str | None = None) -> str:
        """Return the page of a job alert. key: from the email that links there; every: the frequency chosen."""
        return self.at(f"/alerts/{_segment(alert)}", [("key", key), *([("every", every)] if every else [])])

    def alert_keep(self, alert: str, key: str) -> str:
        """Return where the button on that page confirms the alert."""
        return self.at(f"/alerts/{_segment(alert)}/keep", [("key", key)])

    def alert_end(self, alert: str, key: str) -> str:
        """Return where an alert is stopped, by a button or by an email program (RFC 8058)."""
        return self.at(f"/alerts/{_segment(alert)}/end", [("key", key)])

    def profile(self) -> str:
        """Return the start of self-service."""
        return self.at("/profile")

    def hiring(self, path: str = "") -> str:
        """Return the start of the hiring pages, or a page below it; only of addresses of the service."""
        return self.at(f"/hiring{path}")

    def undo(self, key: str) -> str:
        """Return where a change of email addresses is undone. key: from the email that links there."""
        return self.at("/profile/undo", [("key", key)])

    def icon(self, name: str, tag: str) -> str:
        """Return a file of the site's icon; another icon has another tag."""
        return f"{self.prefix}/{name}?v={quote(tag)}"

    def theme(self, tag: str) -> str:
        """Return the stylesheet of colours and fonts; another look has another tag, so it may be cached forever."""
        return f"{self.prefix}/theme.css?v={quote(tag)}"

    def picture(self, digest: str) -> str:
        """Return the logo or header picture; another picture has another digest, so it may be cached forever."""
        return f"{self.prefix}/pictures/{_segment(digest)}"

    def share_picture(self, version: str, posting_id: str | None = None) -> str:
        """Return the preview picture of a job, or of all jobs, for sites where its URL is shared."""
        of_job = f"/jobs/{_segment(posting_id)}" if posting_id else ""
        return self.at(f"{of_job}/share.png", [("v", version)])

    def sitemap(self, part: int | None = None) -> str:
        """Return the sitemap, or one part of it."""
        return f"{self.prefix}/sitemap{f'-{part}' if part else ''}.xml"

    def feed(self) -> str:
        """Return the Atom feed of all open jobs."""
        return f"{self.prefix}/feed.atom"

    def json_feed(self) -> str:
        """Return the JSON Feed of all open jobs."""
        return f"{self.prefix}/feed.json"

    def push_key(self, key: str) -> str:
        """Return the file with an IndexNow key, which proves that we may act for this site."""
        return f"{self.prefix}/{_segment(key)}.txt"

    def absolute(self, path: str) -> str:
        """Return the public URL of a link that this object built."""
        return self.origin + self.home + path.removeprefix(self.prefix)

    def outside(self) -> "Addresses":
        """Return the same links in absolute form, for mails and anything else read elsewhere."""
        return replace(self, prefix=self.origin + self.home)

    def search(self) -> str:
        """Return the target of a search form: the list without parameters, because a GET form replaces them."""
        return f"{self.prefix}/"

    def places(self) -> str:
        """Return where a script gets suggestions of places to search near; unframed."""
        return self._unframed().at("/places")

    def in_language(self, lang: str) -> "Addresses":
        """Return the links of the same site in another language."""
        return replace(self, lang=None if lang == self.default else lang)

    def same_page(self, path: str, lang: str) -> str:
        """Return the page at `path` (as routes see it, with the slug) in another language, without its query."""
        _, _, rest = path.lstrip("/").partition("/")
        # Drop leading slashes, or a crafted path would turn this into a link to another site.
        return self.in_language(lang).at("/" + quote(rest.lstrip("/")))

    def _unframed(self) -> "Addresses":
        return replace(self, prefix=self.prefix.removesuffix("/embed"))

    def at(self, path: str, parameters: Parameters = ()) -> str:
        """Return a path below the prefix, in this language."""
        query = [*parameters, *([("lang", self.lang)] if self.lang else [])]
        return self.prefix + path + (f"?{urlencode(query)}" if query else "")


def addresses(
    tenant: Tenant, *, base_url: str, own_host: bool = False, framed: bool = False, lang: str | None = None
) -> Addresses:
    """Return a tenant's links. own_host, framed: whether the page is read on the tenant's own host, or in a frame."""
    home = f"/{_segment(tenant.slug)}"
    prefix = f"{home}/embed" if framed else "" if own_host and tenant.site.hosts else home
    default = tenant.site.locales[0]
    lang = None if lang == default else lang
    if tenant.site.hosts:
        return Addresses(prefix, origin_on(base_url, tenant.site.hosts[0]), "", default, lang)
    return Addresses(prefix, base_url, home, default, lang)


def origin_on(base_url: str, host: str) -> str:
    """Return the origin of another host on the same server: same scheme, same port."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def _segment(value: str) -> str:
    if not PUBLIC_ID.fullmatch(value):
        raise ValueError("not an id that may stand in an address")
    return value
