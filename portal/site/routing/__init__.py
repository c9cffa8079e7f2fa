"""Between an address and a view: host and tenant, access markers, origin checks, frames, API descriptions.

The gateway calls hosts and framing before the application; the other modules decorate views or add Flask hooks. Start
reading at access and tenant.
"""
