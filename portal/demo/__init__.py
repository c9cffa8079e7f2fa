"""The demo: two invented companies with their vacancies, and the whole product as one process tree.

It creates a data folder on first start and runs service, portal and worker on it, without any network. Start with
cli/demo.py, which runs service, portal and worker as children, then folder.

    data/        facts, descriptions, tenant files, drawings and page templates
    vacancies    the data as records of the service, with times relative to today
    folder       the data folder: databases, keys, tenant files, pictures, a page with the embedded job list
    site         the portal as the demo serves it, with a page of every component in each of its states
    mails        every mail in every language, as a page
"""
