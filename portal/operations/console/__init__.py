"""The operator console: web pages that show what the commands show, and their actions, without personal data.

It is a Flask application on a port of its own, in English like the commands. It reads the services of the portal and
changes data only through operations/actions. Start with app.

    app             the Flask application, its start page (everything, worst first) and its error pages; portal/app.py
                    passes its services
    identity        access to the console, names of operators, and CSRF tokens of forms
    status          tenants and parts, and the problems of each
    messages        causes and remedies, states, times
    pages           one tenant (file, sync, index, queue, results of `portal check`); open requests, rejected files,
                    the audit log
    preflight_run   `portal check`, run in the background
    submissions     applications and profile changes: list, details, retry, release, discard
"""
