"""What pages share: tenant from the address, errors to pages, headers, language, addresses, access markers.

A slice marks each route and takes the tenant as a parameter:

    @pages.get("/<slug>/jobs/<posting_id>")
    @public                                  # or form, private, operations; framable beside it
    @for_tenant(parts.tenants)
    def job(tenant: Tenant, posting_id: str) -> Response: ...

Templates extend layout.html and find `tenant`, `tenant_words` (in the page's language), `site` (Addresses),
`lang`, `dir`, `asset()`, `day()`, `salary()`.
"""

from portal.web.assembly import assemble

__all__ = ["assemble"]
