"""Applications: one kind of delivery.

payload    what an application says, member by member: stored, sent, shown and exported by this one model
kind       the request that it becomes (§4.8), and the names of its letters
arrival    whether an earlier attempt came through (§4.6)
"""
