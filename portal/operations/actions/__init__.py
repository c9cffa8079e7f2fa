"""Manual actions of operators, from the console or by a command: one method per action.

Each takes the operator and a reference, returns a sentence or raises ActRefused, and writes one entry to the audit log.
Start with actions.

    actions    retry, release, discard, done, wake: each with its refusals in words
    audit      the log: who, when, which action, on what, with which outcome
"""
