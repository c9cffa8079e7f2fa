"""Hiring pages: colleagues of a company post jobs, read applications and answer, without other software.

They are a Flask application of their own that the service serves at /{slug}/hiring, on the service's tables. A request
with a session comes in, HTML goes out; emails leave through an outbox in the service's database. Start reading at
`app`.

    app             create_hiring: wires the modules below
    mounting        which requests the service passes to these pages
    guard           session, role, form token and language of a view
    signing_in      a code by email opens a session
    colleagues      who may use the pages, and in which role
    colleague_pages their list, invitations, sessions, and the log
    job_pages       the list of jobs, a job's form and preview, publishing and closing
    job_list        the list of jobs
    jobs            vacancies and their drafts
    job_form        a job's fields as they are typed
    job_text        a description: Markdown and HTML
    application_list, application_detail
                    a job's applications, and one in full with its CV
    application_changes
                    stages, notes, ratings, and what was seen
    application_pages
                    the routes of all that
    activity_log    what colleagues did
    mail_worker     the thread that sends emails
    tables          the tables that only this package writes
"""
