"""Parsers of what people type: text, phone, email_address, link, countries; refusal, the reasons for rejecting a value.

All are pure but for refusal, countries and cv, which use the page's language, and typed, the parsers as form fields.
"""
