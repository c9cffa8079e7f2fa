"""Clients of external systems: the tracking service, file storage, file inspection, CV reading, mail.

An adapter takes and returns typed values and raises errors of platform.errors (tracker_client has its own); none uses
the database. Start with tracker_client.
"""
