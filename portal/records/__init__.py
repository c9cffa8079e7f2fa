"""A candidate's own record: seen fresh, changed by its owner, delivered by §4.10. Nothing of it stays once delivered.

model      the members that a person sees and changes
current    the record as the service has it now (§4.2)
tables     changes under way, what was done lately, requests that a tenant owes an answer
change     accept a change in one transaction
deliver    the outbox's handler: change → §4.10, never over somebody else's change
receipt    where a change stands
operate    an operator's hand on a change
health     what waits, what is owed, for operators
scan       changes whose CV the scanner has yet to see
history    what was done to a record lately
requests   withdrawal and erasure
held       all that the portal holds about a person, for their own eyes
"""
