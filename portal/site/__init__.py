"""Everything that the portal serves to browsers and programs: one Flask application.

Each feature (browse, apply, account, alerts, feeds, embed) has a blueprint; `assemble` registers the blueprints and
adds what they share: tenant from the address, error pages, headers, language, addresses, access markers. Start reading
at assembly.py, then at the views.py of a feature.

    browse apply account alerts feeds embed    the features, independent of each other
    forms        what their forms share: fields, request bodies, CV uploads, rejections, rate limits
    routing      between an address and a view: host, tenant, access, origin, frames
    design       how pages look: colours, fonts, icons, pictures
    words        the text of pages: language, summaries of searches, names of values
    gateway      puts the gateway (portal/gateway) in front of the site
    page_cache   public pages, cached until the vacancy mirror changes
    headers      security, cache and CORS headers of every response
    errors       errors → pages
    request_log  what logs may contain of a request

A feature marks each route and takes the tenant as a parameter:

    @pages.get("/<slug>/jobs/<posting_id>")
    @public                                  # or form, private, operations; framable beside it
    @for_tenant(tenants)
    def job(tenant: Tenant, posting_id: str) -> Response: ...

Templates extend layout.html and have the variables `tenant`, `tenant_words` (in the page's language), `site`
(Addresses), `lang`, `dir`, and the functions `asset()`, `day()`, `salary()`.
"""

from portal.site.assembly import assemble

__all__ = ["assemble"]
