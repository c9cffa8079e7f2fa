"""Sending email. In: a Message. Out: an email handed over to a mail server, to Amazon SES or to a folder.

Start with message.

message     Message, its RFC 5322 form, and the Mailer protocol
ses         Amazon SES
transports  a mail server, files, and which of the three the settings name
"""
