"""What people type, parsed: text, phone, email_address, link, countries, cv; refusal, why one is not taken.

Pure but for the words, which are in the page's language, and for typed: the parsers as fields of a form.
"""
