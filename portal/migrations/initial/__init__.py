"""The first schema, a module a group of rooms. From here on migrations only expand, and contract a release later."""
