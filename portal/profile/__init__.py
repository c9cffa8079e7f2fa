"""A candidate's self-service: prove an address, see and change the record, follow applications, withdraw.

parts            what every view here is handed
cookies        the two cookies, named for their tenant
formtoken      what a form carries, signed and bound to its session
asking_limit   how often a code may be asked for
guard          posts from elsewhere, sessions as parameters
signing_in     addresses: ask, enter the code, choose a record, sign out
recordform     posted lists → rows, edited without JavaScript; parsed and checked
theirs         the record read now, or the page that says why there is none
proving        codes to new addresses of a record
editing        edit, review, prove, send
own            addresses: where a change stands, applications, download, withdraw, erase
standing       where applications stand at the service
words          sentences that several pages share
views          the blueprint
"""

from portal.profile.views import blueprint

__all__ = ["blueprint"]
