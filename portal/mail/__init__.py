"""Sending mail: what a message is, and the ways it goes out.

message   Message, its RFC 5322 form, and the Mailer protocol
files     a folder of .eml files
smtp      a mail server
ses       Amazon SES
address   opens the one that the settings name
"""
