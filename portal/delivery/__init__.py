"""Deliveries, which must reach a tracking service exactly once: accepted in one transaction, sent by a worker, settled.

Forms that passed every check come in; requests to a tenant's service go out. envelopes has the parts that all kinds of
delivery share, and depends on none of them; applications and record_changes are the kinds; privacy_requests handles
withdrawal, erasure and access; uploads handles CVs. Start with envelopes.accept and envelopes.handler.
"""
