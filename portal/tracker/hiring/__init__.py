"""Hiring pages: colleagues of a company post jobs, read applications and answer, without other software.

They are a Flask application of their own that the service serves at /{slug}/hiring, on the service's tables. A request
with a session comes in, HTML goes out; emails leave through an outbox in the service's database. Start reading at
`app`.

    app             create_hiring: wires the modules below; HiringMount: which requests are theirs
    guard           session, role, form token and language of a view, and its route
    colleagues      who may use the pages, in which role, and the log of what they did
    company_settings
                    the sender of emails, and how long applications are kept
    colleague_pages
                    signing in by a code; the list of colleagues, invitations, sessions, the log
    jobs            vacancies and their drafts: as a list, and one that is edited, published and closed
    job_form        a job's fields as they are typed
    job_text        a description: Markdown and HTML
    job_pages       the routes of jobs
    application_list
                    a job's applications as a list, one in full with its CV, all of them for an export
    application_changes
                    stages, notes, ratings, and which applications were seen
    application_pages
                    the routes of applications
    replies, reply_pages
                    emails to applicants, and the company's own texts for them
    privacy, privacy_pages
                    erasure on request and in time; requests, export and settings
    mail_worker     the threads that notify colleagues, send emails and delete what has expired
    tables          the tables that only this package writes
"""
