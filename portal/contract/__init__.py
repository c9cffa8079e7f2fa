"""The interface document of the recruitment tracking service as code: pure data, without any input or output.

The client (adapters/tracker_client) and the service (tracker) validate with the same models, so both follow the same
text. Start with operations. docs/interface.md states the same facts in tables; a test compares the two.

    model          Read (tolerant), Write (strict), and annotations for what the document says of a field
    bounds         §8, and our own limits on the size of JSON
    shapes         §2.1, §2.2     shared shapes, as they are read; bodies derives its entries from them
    vacancies      §2.3, §2.4     vacancy, vacancy detail, page of vacancies
    candidates     §2.5           candidate, page of candidates
    applications   §2.6, §2.7     application, application summary, applications of a vacancy
    pipeline       §2.8           stage
    bodies         §4.4, 4.5, 4.8, 4.10   request bodies
    operations     §4, §5         the ten operations: method, path, key, query
    openapi        OpenAPI documents, for the service's interface and for the portal's own
"""
