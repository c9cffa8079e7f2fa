"""Tenant files: PORTAL_TENANTS/SLUG.toml, one per company, reloaded when they change.

TOML files go in; frozen Tenant objects come out, with their public addresses, words and pictures, or a message with the
line of each mistake. Start with model and folder.

    model      a tenant file's content, typed
    values     formats of single values
    languages  languages with a complete catalogue
    retention  how long the portal keeps finished data: the setting's period or the tenant's shorter one
    webhooks   the section [webhooks]: the URL that gets notices about jobs, and the secrets that sign them
    toml       a file's text → Tenant, or an error that names the line and what was expected
    folder     Tenants: the folder, reloaded on change; an invalid file affects only its own tenant
    words      the tenant's own texts in a visitor's language
    addresses  a tenant's public URLs, for pages and mails
    pictures/  logo and header picture: fetched, checked, stored
"""
