"""The interface document of the recruitment tracking service as code: pure data, without any input or output.

The client (adapters/tracker_client) and the service (tracker) validate with the same models, so both follow the same
text. The document is external and not in this repository; a § that names no RFC, here and in all other packages, is a
section of it. docs/interface.md is not that document: it states the facts of these modules in tables, and a test
compares the two. Start with operations.

    model          Read (tolerant), Write (strict), and annotations for what the document says of a field
    bounds         §8, and our own limits on the size of JSON
    shapes         §2.1, §2.2     shared shapes, as they are read; bodies has subclasses of some, for requests
    vacancies      §2.3, §2.4     vacancy, vacancy detail, page of vacancies
    candidates     §2.5           candidate, page of candidates
    applications   §2.6, §2.7     application, application summary, applications of a vacancy
    pipeline       §2.8           stage
    bodies         §4.4, 4.5, 4.8, 4.10   request bodies
    operations     §4, §5         the ten operations: method, path, key, query
    openapi        OpenAPI documents, for the service's interface and for the portal's own
"""
