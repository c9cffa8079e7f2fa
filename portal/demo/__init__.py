"""The demo: two invented companies with their vacancies, and the whole product as one process tree.

data         facts, descriptions and tenant files
vacancies    the data as records of the service, with times relative to today
folder       a data folder on first start: databases, keys, tenant files
site         the portal as the demo serves it; embedded: a company's own page, with the one line
mails        every mail there is, in every language, as a page
pictures     logos and header pictures, drawn for the demo, so that it needs no network
processes    service, portal and worker as children that end with their parent
"""
