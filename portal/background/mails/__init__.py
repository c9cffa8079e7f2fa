"""The mail queue: emails to candidates and operators, queued in the transaction that causes them. Owns its tables.

Callers pass a template, a language and facts to queue.send; the outbox passes each email to deliver.MailHandler,
which renders it, sends it, and erases its contents. Start with queue and deliver.

    tables   emails, and events of mailboxes
    quota    how many emails and codes a mailbox may receive; which mailboxes are proven
    digest   emails sent together, because their mailbox has used up its quota
    queue    put an email into the outbox, as part of the caller's transaction; those that one delivery caused
    render   template, language, facts → subject, text and HTML, in a company's colours and with its logo
    deliver  the outbox's handler: email → mail server; the contents are erased once sent
"""
