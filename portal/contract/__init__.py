"""The interface of the recruitment tracking service, once, as data. Used by upstream/ and tracker/ alike.

    model          Read (tolerant), Write (exact), and the marks that say what the document says of a field
    limits         §8
    shapes         §2.1, §2.2     shared shapes
    vacancies      §2.3, §2.4     vacancy, vacancy detail, page of vacancies
    candidates     §2.5           candidate, page of candidates
    applications   §2.6, §2.7     application, application summary, applications of a vacancy
    pipeline       §2.8           stage
    bodies         §4.4, 4.5, 4.8, 4.10   what is sent
    operations     §4, §5         the ten operations: method, path, key, query

docs/interface.md states the same facts in tables; a test holds the two together.
"""
