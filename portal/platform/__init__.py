"""Foundations that are independent of the product: database, settings, logs, metrics, tracing, cryptography, clock.

Every other package builds on these modules, and they import nothing from outside this package. Start with `errors` (the
tree of everything that can go wrong) and `clock`; `sandbox` isolates work on untrusted files, and `rate_limits` limits
how often something may happen.
"""
