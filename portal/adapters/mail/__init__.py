"""Sending email. In: a Message. Out: an email handed over to a mail server, to Amazon SES or to a folder.

Start with message.

message    Message, its RFC 5322 form, and the Mailer protocol
files      a folder of .eml files
smtp       a mail server
ses        Amazon SES
address    opens the mailer that the settings name
deferrals  detects a mail server that defers every message
"""
