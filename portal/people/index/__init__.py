"""The private index from (tenant, email address) to the service's candidates, without names or addresses in clear.

The sync puts candidates in; sign-in and profile changes look them up. Start with index.

    tables   candidates, and their addresses as keyed hashes
    index    find, update, remove candidates; stores pages of §4.2 (background/sync reads the pages)
    history  recent events of a record, for its owner
"""
