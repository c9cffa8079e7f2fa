"""The private index: from (tenant, e-mail address) to candidates of the service. No names, no addresses in clear.

tables     candidates, and their addresses as keyed hashes
index      find, read, forget
mirror     what a page of §4.2 becomes (passes/ reads it page by page)
"""
