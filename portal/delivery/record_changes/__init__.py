"""A candidate's own profile: read fresh from the service, and changed by its owner. Owns the table of undo links.

A change comes in from the profile form and goes out as one kind of delivery (§4.10); its contents are erased once it is
delivered. Start with change and kind.

    model         the fields of a profile that its owner sees and changes; the record as the service has it now (§4.2);
                  the contents of a change, sealed
    kind          the request that a change becomes (§4.10), which never overwrites somebody else's change
    change        accept a change; it may replace one that was not sent yet
    undo_links    changes of email addresses that can still be undone: until when, by whom, what waits until then;
                  their table
    undo          restore the former addresses
    readdressing  the consequences of a delivered change of address
"""
