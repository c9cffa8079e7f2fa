"""A candidate's self-service: prove an address, see and change the record, follow applications, withdraw.

kit            what every view here is handed
cookies        the two cookies, named for their tenant
formtoken      what a form carries, signed and bound to its session
asking_limit   how often a code may be asked for
guard          posts from elsewhere, sessions as parameters
signing_in     addresses: ask, enter the code, choose a record, sign out
recordform     posted lists → rows, edited without JavaScript; parsed and checked
editing        addresses: edit, review, prove a new address, send, follow
own            addresses: applications, download, withdraw, erase
standing       where applications stand at the service
"""

from portal.profile.views import blueprint

__all__ = ["blueprint"]
