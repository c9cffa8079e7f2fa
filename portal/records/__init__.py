"""A candidate's own record: seen fresh, changed by its owner. A change is one kind of delivery; nothing of it stays.

model      the members that a person sees and changes
current    the record as the service has it now (§4.2)
payload    what a change says, sealed
kind       the request that it becomes (§4.10), never over somebody else's change
change     send a change, in place of one that was not sent yet
"""
