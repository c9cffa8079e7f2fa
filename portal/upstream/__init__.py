"""The recruitment tracking service's client: one method an operation, every failure a leaf of errors.py.

client     Upstream: what the portal calls
paths      what may become a part of an address
wire       one request and its answer: limits, headers, who gets the key
deadline   connections on which a request ends when its time is up, whatever the other side does
outcome    answer → result, or the error that promises.md's table says
bounds     how much an answer may hold, told before it is parsed
page       a page of records, the bad ones set aside
members    which members of a record are read
"""
