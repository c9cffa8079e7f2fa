"""Passes over a list of a tenant's service, its vacancies (§4.1) or its candidates (§4.2). Owns the table `passes`.

A room above brings what a record becomes (reader.Reader); when a pass is made, how the list is read to its end, and
what is written down of it is the same for both, and stands here.

tables     where each pass stands
state      the same in memory: what is due, and what a pass leaves behind
quiet      passes that found nothing new, written down together
lease      one pass over a list at a time, and nothing written by one that lost its place
walk       page after page, whatever the cursor does
reader     what a room brings
deletions  what is believed of records that are no longer listed
run        one pass
due        which passes are due
pool       several passes at once, of which slow services get a share
health     for operators
"""
