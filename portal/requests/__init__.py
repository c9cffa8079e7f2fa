"""What people are owed: withdrawal, erasure, and to see everything that is kept about them. Owns its table.

tables    requests that a tenant still owes an answer
owed      withdraw and erase here, ask the tenant there; list, answer
access    all that the portal holds about a person, for their own eyes
health    what waits for an answer, for operators
"""
