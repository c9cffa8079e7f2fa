"""Which addresses lead to one mailbox, so that a limit on mails cannot be evaded with another spelling.

At every provider, whatever follows a + counts as a tag; the large providers have further rules. A limit may treat two
mailboxes as one: then somebody waits a little longer. Who reads an email must not be guessed: for that only a
provider's own documentation counts, and every other address is a reader of its own.

Sources, each the provider's own: dots and googlemail.com, Google's help 7436150; three domains of one account, Apple's
support 118230; tags and x@user.domain, Fastmail's help 360060591053; characters ignored in a name, and domains of one
owner, Proton's open-source client and its support page on addresses and aliases; name-keyword, Yahoo's help on
disposable addresses. Outlook.com, hotmail.com and live.com have tags, and the same name there belongs to different
people.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Provider:
    """Rules of a mail provider. ignored: characters that do not count in a name. tags: characters that begin a tag.

    one: a name is the same mailbox at each of the domains. by_name: x@name.domain is name+x@domain. sure: whoever reads
    one of a mailbox's addresses certainly reads all of them.
    """

    domains: tuple[str, ...]
    ignored: str = ""
    tags: str = "+"
    one: bool = False
    by_name: bool = False
    sure: bool = True


_PROVIDERS = (
    _Provider(("gmail.com", "googlemail.com"), ignored=".", one=True),
    _Provider(("outlook.com", "hotmail.com", "live.com", "msn.com")),
    _Provider(("icloud.com", "me.com", "mac.com"), one=True),
    _Provider(("fastmail.com", "fastmail.fm"), by_name=True),
    _Provider(("proton.me", "protonmail.com", "pm.me", "protonmail.ch"), ignored="._-", one=True),
    # A base name is chosen for tags, and nothing says that the same name without a tag belongs to the same person.
    _Provider(
        ("yahoo.com", "ymail.com", "rocketmail.com", "yahoo.co.uk", "yahoo.de", "yahoo.es", "yahoo.fr", "yahoo.it"),
        tags="+-",
        sure=False,
    ),
)
_OTHERS = _Provider((), sure=False)
_BY_DOMAIN = {domain: one for one in _PROVIDERS for domain in one.domains}


def counted_as(address: str) -> str:
    """Return the mailbox for a limit. address: folded by `sealing`. The result is for comparison, not for sending."""
    return _read(address)[0]


def read_as(address: str) -> str:
    """Return the same text for all addresses that certainly have the same reader; otherwise the address itself."""
    mailbox, provider = _read(address)
    return mailbox if provider.sure else address


def _read(address: str) -> tuple[str, _Provider]:
    name, at, domain = address.rpartition("@")
    before, _, above = domain.partition(".")
    if (known := _BY_DOMAIN.get(above)) and known.by_name:
        name, domain = before, above
    provider = _BY_DOMAIN.get(domain, _OTHERS)
    base = name
    for tag in provider.tags:
        base = base.partition(tag)[0]
    base = base.translate(dict.fromkeys(map(ord, provider.ignored)))
    return f"{base or name}{at}{provider.domains[0] if provider.one else domain}", provider
