"""Requests under the GDPR: withdrawal, erasure, and access to everything stored about a person. Owns its table.

A request erases the portal's data at once and leaves an open request for the tenant, whose operator must respond. Start
with requests.

    tables      open requests to tenants, and tombstones
    requests    withdraw and erase in the portal, ask the tenant for the rest; list open requests, record responses
    access      everything that the portal stores about a person, for that person
    tombstones  records of erased people outside the database, so that a restore brings nobody back
    health      open requests, for operators
"""
