"""The operators' desk: what the commands show, as pages on a port of its own, and their acts. Nothing personal.

    app          the application, and what it shares
    who          who may come, and as whom
    pressing     forms that do something: their tokens, and that no other site sends them
    start        how everything is, the worst first
    standing     tenants and parts, and what is wrong with each
    words        causes and remedies, states, times
    company      one tenant: file, mirror, index, queue, what `portal check` says
    checking     `portal check`, run beside the pages
    handling     submissions and changes: list, one of them, retry, release, discard
    paperwork    requests owed, files refused, the audit log

It speaks English, as the commands do.
"""

from portal.console.app import create_console

__all__ = ["create_console"]
