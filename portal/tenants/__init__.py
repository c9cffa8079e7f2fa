"""Tenant files: PORTAL_TENANTS/SLUG.toml, one per company, reloaded when they change.

TOML files go in; frozen Tenant objects come out, with their public addresses, words and pictures, or a message with the
line of each mistake. Start with model and folder.

    model         a tenant file's content, typed
    values        formats of single values
    value_checks  messages for values and syntax that are rejected
    names         names of settings, and suggestions for unknown ones
    toml          a file's text → Tenant, or an error that names the line
    folder        Tenants: the folder, reloaded on change; an invalid file affects only its own tenant
    languages     languages with a complete catalogue
    words         the tenant's own texts in a visitor's language
    addresses     a tenant's public URLs, for pages and mails
    pictures/     logo and header picture: fetched, checked, stored
"""
