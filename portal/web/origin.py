"""Whether a post comes from a page of this portal."""

from collections.abc import Collection


def own_origins(*, base_url: str, host: str) -> set[str]:
    """Origins of this portal. host: of the request, checked. Plain http is ours only where the portal is served so:
    whoever holds the network can answer for http, but not for https.
    """
    plain = {f"http://{host}"} if base_url.startswith("http://") else set()
    return {base_url, f"https://{host}", *plain}


def is_elsewhere(*, sec_fetch_site: str | None, origin: str | None, own: Collection[str]) -> bool:
    """True if a browser says that another site's page made this request.

    own: this portal's origins, like https://careers.example. Inside another site's frame our page is still ours: what
    it posts is same-origin, and embedding needs no exception here. `same-site` counts as elsewhere unless the origin is
    ours: a company's own domain carries more than its careers site. A program sends neither header, and passes: the
    check is against browsers being led, and a program leads itself.
    """
    if origin is not None and origin.lower() in own:
        return False
    if sec_fetch_site is not None:
        return sec_fetch_site not in {"same-origin", "none"}
    return origin is not None
