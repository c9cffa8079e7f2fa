"""Sending email. In: a Message. Out: an email handed over to a mail server, to Amazon SES or to a folder.

Start with message.

message    Message, its RFC 5322 form, and the Mailer protocol
smtp       a mail server
ses        Amazon SES
transports files, and which of the three the settings name
"""
