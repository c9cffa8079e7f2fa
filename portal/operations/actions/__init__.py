"""Manual actions of operators, from the console or by a command: one function per action.

Each takes the services, the operator and a reference, returns a sentence or raises ActRefused, and writes one entry to
the audit log. Start with actions.

    actions    retry, release, discard, done, wake: each with its refusals in words
    audit      the log: who, when, which action, on what, with which outcome
"""
