"""The portal's public addresses (contract §4), built in one place.

They come from PORTAL_BASE_URL or the tenant's own host, never from the request, so that nobody can have a page of ours
point elsewhere. Links within a page are paths; what leaves the page (canonical, feeds, mail) is absolute.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from portal.tenants.model import Tenant
from portal.tenants.values import PUBLIC_ID

Parameters = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Addresses:
    """Links of one tenant's pages in one language.

    prefix: "" on the tenant's own host, "/slug/embed" in a frame, else "/slug". lang: None for the tenant's default
    language, `default`.
    origin, home: where the tenant's pages are known to the world: scheme and host, and the prefix there.
    """

    prefix: str
    origin: str
    home: str
    default: str
    lang: str | None = None

    def jobs(self, parameters: Parameters = ()) -> str:
        """The list, with its search if given."""
        return self.at("/", parameters)

    def jobs_of(self, search: str) -> str:
        """The list with the search that another of its addresses had: the query of that address."""
        return self.jobs(parse_qsl(search))

    def job(self, posting_id: str) -> str:
        """One job."""
        return self.at(f"/jobs/{_segment(posting_id)}")

    def jobs_data(self, parameters: Parameters = ()) -> str:
        """The list as data, with its search if given."""
        return self.at("/jobs.json", parameters)

    def apply(self, posting_id: str) -> str:
        """The form of a job."""
        return self.at(f"/jobs/{_segment(posting_id)}/apply")

    def challenge(self, posting_id: str) -> str:
        """What a browser asks before it sends the form of a job."""
        return self.at(f"/jobs/{_segment(posting_id)}/apply/challenge")

    def vacancy_portal(self, posting_id: str) -> str:
        """Where an application is sent as data."""
        return self.at(f"/vacancy-portal/jobs/{_segment(posting_id)}")

    def uploads(self) -> str:
        """Where a CV is sent that belongs to such an application."""
        return self.at("/uploads")

    def uploads_direct(self) -> str:
        """Where the script of a form asks to send its file by itself; out of a frame, too."""
        return self._unframed().at("/uploads/direct")

    def uploads_file(self) -> str:
        """Where it sends it, if the store takes none from browsers; out of a frame, too."""
        return self._unframed().at("/uploads/direct/file")

    def uploads_checked(self) -> str:
        """Where it says that it was sent; out of a frame, too."""
        return self._unframed().at("/uploads/checked")

    def receipt(self, reference: str) -> str:
        """Where an application stands."""
        return self.at(f"/applications/{_segment(reference)}")

    def confirm(self, reference: str, key: str) -> str:
        """Where an application is confirmed that waits for it. key: of the letter that leads there."""
        return self.at(f"/applications/{_segment(reference)}/confirm", [("key", key)])

    def alerts(self, parameters: Parameters = ()) -> str:
        """Where one subscribes to a search by e-mail."""
        return self.at("/alerts", parameters)

    def alert(self, alert: str, key: str, every: str | None = None) -> str:
        """What somebody subscribed to. key: of the letter that leads there; every: how often they asked for it."""
        return self.at(f"/alerts/{_segment(alert)}", [("key", key), *([("every", every)] if every else [])])

    def alert_keep(self, alert: str, key: str) -> str:
        """Where its button is pressed."""
        return self.at(f"/alerts/{_segment(alert)}/keep", [("key", key)])

    def alert_end(self, alert: str, key: str) -> str:
        """Where it is ended, by a button or by a mail program (RFC 8058)."""
        return self.at(f"/alerts/{_segment(alert)}/end", [("key", key)])

    def profile(self) -> str:
        """Self-service."""
        return self.at("/profile")

    def icon(self, name: str, tag: str) -> str:
        """A file of the site's icon; another one has another tag."""
        return f"{self.prefix}/{name}?v={quote(tag)}"

    def theme(self, tag: str) -> str:
        """The tenant's colours and letters; another look has another tag, so this can be kept for ever."""
        return f"{self.prefix}/theme.css?v={quote(tag)}"

    def picture(self, digest: str) -> str:
        """The logo or the header picture; another picture has another digest, so this can be kept for ever."""
        return f"{self.prefix}/pictures/{_segment(digest)}"

    def share_picture(self, version: str, posting_id: str | None = None) -> str:
        """The picture that stands for a job, or for all of them, where somebody shares its address."""
        of_job = f"/jobs/{_segment(posting_id)}" if posting_id else ""
        return self.at(f"{of_job}/share.png", [("v", version)])

    def sitemap(self, part: int | None = None) -> str:
        """What there is to crawl, or one part of it."""
        return f"{self.prefix}/sitemap{f'-{part}' if part else ''}.xml"

    def feed(self) -> str:
        """All open jobs, for feed readers."""
        return f"{self.prefix}/feed.atom"

    def push_key(self, key: str) -> str:
        """Where a key of IndexNow shows that we speak for this site."""
        return f"{self.prefix}/{_segment(key)}.txt"

    def absolute(self, path: str) -> str:
        """The public address of a link that this object made."""
        return self.origin + self.home + path.removeprefix(self.prefix)

    def outside(self) -> "Addresses":
        """The same links, absolute: for mail and whatever else is read elsewhere."""
        return replace(self, prefix=self.origin + self.home)

    def search(self) -> str:
        """Where a search form goes: the list, without parameters, because a GET form replaces them."""
        return f"{self.prefix}/"

    def places(self) -> str:
        """Places to search near, for the script that offers them; out of a frame, too."""
        return self._unframed().at("/places")

    def in_language(self, lang: str) -> "Addresses":
        """The same site in another language."""
        return replace(self, lang=None if lang == self.default else lang)

    def same_page(self, path: str, lang: str) -> str:
        """The page at `path` (as routes see it, with the slug) in another language, without its query."""
        _, _, rest = path.lstrip("/").partition("/")
        # Slashes at the start are dropped, or a crafted path would make this a link to another site.
        return self.in_language(lang).at("/" + quote(rest.lstrip("/")))

    def _unframed(self) -> "Addresses":
        return replace(self, prefix=self.prefix.removesuffix("/embed"))

    def at(self, path: str, parameters: Parameters = ()) -> str:
        """A path below the tenant's own, in this language."""
        query = [*parameters, *([("lang", self.lang)] if self.lang else [])]
        return self.prefix + path + (f"?{urlencode(query)}" if query else "")


def addresses(
    tenant: Tenant, *, base_url: str, own_host: bool = False, framed: bool = False, lang: str | None = None
) -> Addresses:
    """The addresses of a tenant. own_host, framed: the page is being read on the tenant's own host, in a frame."""
    home = f"/{_segment(tenant.slug)}"
    prefix = f"{home}/embed" if framed else "" if own_host and tenant.site.hosts else home
    default = tenant.site.locales[0]
    lang = None if lang == default else lang
    if tenant.site.hosts:
        return Addresses(prefix, beside(base_url, tenant.site.hosts[0]), "", default, lang)
    return Addresses(prefix, base_url, home, default, lang)


def beside(base_url: str, host: str) -> str:
    """The origin of another host that the same server answers for: same scheme, same port."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def _segment(value: str) -> str:
    if not PUBLIC_ID.fullmatch(value):
        raise ValueError("not an id that may stand in an address")
    return value
