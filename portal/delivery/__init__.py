"""What must reach a tracking service exactly once: accepted in one transaction, sent by a worker, settled.

Forms that passed every check come in; requests to a tenant's service go out. envelopes is what all kinds of deliveries
share, and is independent of each; applications and record_changes are the kinds; privacy_requests handles withdrawal,
erasure and access; uploads handles CVs. Start with envelopes.accept and envelopes.handler.
"""
