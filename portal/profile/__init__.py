"""A candidate's self-service: prove an address, see and change the record, follow applications, withdraw.

cookies        the two cookies, named for their tenant
asking_limit   how often a code may be asked for
guard          posts from elsewhere, sessions as parameters, tokens of forms
signing_in     addresses: ask, enter the code, choose a record, sign out
own_record     the record read now, or the page that says why there is none
recordform     the record as a form: rows edited without JavaScript; parsed and checked
recordpage     the form, before and after, the code for a new address, as pages
proving        codes to new addresses of a record
editing        the steps from one page to the next, and sending
own            addresses: where a change stands, applications, download, withdraw, erase
progress       where applications stand at the service
words          sentences that several pages share
views          the blueprint
"""

from portal.profile.views import blueprint

__all__ = ["blueprint"]
