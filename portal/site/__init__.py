"""Everything that the portal serves to browsers and programs: one Flask application.

Each feature (browse, apply, account, alerts, feeds, embed) has a blueprint; `assemble` registers the blueprints and
adds what they share: tenant from the address, error pages, headers, language, addresses, access markers. Start reading
at assembly.py, then at the views.py of a feature.

A feature marks each route and takes the tenant as a parameter:

    @pages.get("/<slug>/jobs/<posting_id>")
    @public                                  # or form, private, operations; framable beside it
    @for_tenant(parts.tenants)
    def job(tenant: Tenant, posting_id: str) -> Response: ...

Templates extend layout.html and have the variables `tenant`, `tenant_words` (in the page's language), `site`
(Addresses), `lang`, `dir`, and the functions `asset()`, `day()`, `salary()`.
"""

from portal.site.assembly import assemble

__all__ = ["assemble"]
