"""Applications: taken in one transaction, kept until delivered, then forgotten. Owns submissions and uploads.

model      what an application is here, and what a receipt shows
tables     the tables
accept     one transaction: submission, claim of the upload, outbox, mail
uploads    CV files between the browser and a submission
deliver    the outbox's handler: submission → §4.8
arrival    whether an earlier attempt came through (§4.6)
scan       what is held until the scanner has seen it
operate    what an operator sees and can do
receipt    what a reference shows
purge      what is forgotten, and when
"""
