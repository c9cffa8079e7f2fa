"""The demo: two invented companies with their vacancies, and the whole product as one process tree.

It creates a data folder on first start and runs service, portal and worker on it, without any network. Start with
cli/demo.py, then folder and processes.

    data/        facts, descriptions, tenant files, drawings and page templates
    vacancies    the data as records of the service, with times relative to today
    folder       the data folder: databases, keys, tenant files
    site         the portal as the demo serves it
    embedded     a company's own page with the embedded job list
    components   every component in each of its states, as a page
    mails        every mail in every language, as a page
    pictures     logos and header pictures drawn for the demo, so that it needs no network
    processes    service, portal and worker as children that end with their parent
"""
