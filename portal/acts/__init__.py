"""What operators do by hand, from the desk or by a command: one function an act, and one line of the audit log each.

doing      retry, release, discard, done, wake: each with its refusals in words
audit      the log: who, when, what, on what, how it ended
"""
