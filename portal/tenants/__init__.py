"""Tenant files: PORTAL_TENANTS/SLUG.toml, one a tenant, taken up on change.

model      what a tenant file says, typed, and what its values may be
toml       a file's text → Tenant, or an error that names the line
languages  which there are catalogues for
words      the tenant's own words in a visitor's language
addresses  a tenant's public addresses, for pages and mail alike
folder     Tenants: the folder, reloaded on change; a broken file harms its own tenant alone
"""
