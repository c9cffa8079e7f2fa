"""The service's schema, version by version."""
