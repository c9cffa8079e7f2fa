"""The private index from (tenant, email address) to the service's candidates, without names or addresses in clear.

The sync puts candidates in; sign-in and profile changes look them up. Start with index.

    tables   candidates, and their addresses as keyed hashes
    index    find, update, remove candidates
    mirror   what a page of §4.2 becomes (background/sync reads the pages)
    history  recent events of a record, for its owner
"""
