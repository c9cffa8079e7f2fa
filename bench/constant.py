"""The yardstick: a bare Flask view that returns a constant string, at the route of a job page."""

from flask import Flask


def app() -> Flask:
    """For a WSGI server."""
    bare = Flask("bare")

    @bare.get("/<slug>/jobs/<posting_id>")
    def view(slug: str, posting_id: str) -> str:  # noqa: ARG001  the same route as a job's
        return "A constant string."

    return bare
